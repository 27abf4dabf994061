"""Write docs/composition.md from the table that the code keeps."""

from pathlib import Path

from littlestone.api.composition import page

if __name__ == "__main__":
    (Path(__file__).parents[1] / "docs" / "composition.md").write_text(page(), "utf-8")
