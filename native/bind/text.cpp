// Parsers of text: VW, libsvm, CSV, words; tables of names.
//
// Parsers look at the newline that ends a text and read some bytes behind it, and fill arrays whose room is counted from the bytes of the
// text: both is checked before a loop begins.
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <nanobind/stl/pair.h>
#include "../text/buckets.h"
#include "../text/csv.h"
#include "../text/libsvm.h"
#include "../text/vw.h"
#include "../text/words.h"
#include "arrays.h"
#include "parts.h"

namespace littlestone::bind {

namespace {

using Released = nb::call_guard<nb::gil_scoped_release>;
using Bytes = Column<const Byte>;
using Places = Column<std::int64_t>;
using KnownPlaces = Column<const std::int64_t>;

void require(bool kept, const char* what) {
    if (!kept) throw std::invalid_argument(what);
}

std::size_t unsigned_of(std::int64_t number) {
    require(number >= 0, "a place in an array must not be negative");
    return static_cast<std::size_t>(number);
}

void require_slack(const Bytes& bytes, std::int64_t stop) {
    require(unsigned_of(stop) + slack <= bytes.size(), "the text must go on after its end");
}

text::Lines lines_of(const Bytes& bytes, std::int64_t start, std::int64_t stop) {
    require_slack(bytes, stop);
    require(0 <= start && start < stop && bytes[unsigned_of(stop) - 1] == '\n', "the lines must end with a newline");
    return {bytes.data + start, bytes.data + stop};
}

void require_room(bool room) { require(room, "the arrays have no room for the rows of the text"); }

std::int64_t parse_libsvm(Bytes bytes, std::int64_t start, std::int64_t stop, text::Progress& progress, Column<double> labels, Places lines,
                          Places indptr, Column<std::uint32_t> indices, Column<float> values) {
    const text::Lines whole = lines_of(bytes, start, stop);
    const text::Rows rows{labels, lines, indptr, indices, values};
    require_room(rows.have_room(progress, unsigned_of(stop - start)));
    return text::parse_libsvm(whole, progress, rows) - bytes.data;
}

std::int64_t parse_vw(Bytes bytes, std::int64_t start, std::int64_t stop, text::Progress& progress, Column<double> labels, Places lines,
                      Places indptr, Column<std::uint32_t> indices, Column<float> values, Column<float> weights, Column<std::uint64_t> tags,
                      const text::NameColumns* names) {
    const text::Lines whole = lines_of(bytes, start, stop);
    const text::Rows rows{labels, lines, indptr, indices, values};
    const std::size_t most = unsigned_of(stop - start) / 2;
    require_room(rows.have_room(progress, unsigned_of(stop - start)));
    const std::size_t row = unsigned_of(progress.rows);
    require_room(row + most < weights.size() && row + most < tags.size());
    require_room(!names || names->has_room(unsigned_of(indptr[row]) + most, unsigned_of(progress.waiting) + most));
    return text::parse_vw(bytes.data, whole, progress, rows, {weights, tags}, names) - bytes.data;
}

std::int64_t fold_lines(Bytes bytes, std::int64_t start, std::int64_t stop, text::Progress& progress, Column<double> labels, Places lines,
                        Matrix<std::uint64_t> known_labels, Column<Byte> out, Places cells, Bytes marks) {
    const text::Lines whole = lines_of(bytes, start, stop);
    const std::size_t most = unsigned_of(stop - start) / 2 + 1, row = unsigned_of(progress.rows);
    require_room(row + most <= std::min(labels.size(), lines.size()) && row + most < cells.size() && marks.size() == 256);
    require_room(unsigned_of(progress.labels) + most <= known_labels.size() && known_labels.columns == 3);
    require_room(unsigned_of(cells[row]) + 2 * unsigned_of(stop - start) <= out.size());
    return text::fold_lines(bytes.data, whole, progress, labels, lines, known_labels, out, cells, marks) - bytes.data;
}

std::pair<std::int64_t, std::int64_t> number_label(Bytes bytes, std::int64_t begin, std::int64_t size, Matrix<std::uint64_t> known_labels,
                                                   std::int64_t count) {
    require_slack(bytes, begin + size);
    require_room(unsigned_of(count) < known_labels.size() && known_labels.columns == 3);
    text::Labels labels{known_labels, count};
    const std::int64_t which = labels.number_of(bytes.data, bytes.data + unsigned_of(begin), unsigned_of(size));
    return {which, labels.count};
}

std::int64_t fold_cells(Bytes bytes, KnownPlaces offsets, std::int64_t row, Column<Byte> out, Places cells, Bytes marks) {
    const std::size_t first = unsigned_of(row);
    require_room(first < offsets.size() && offsets.size() <= cells.size() && marks.size() == 256);
    require_room(std::is_sorted(offsets.begin(), offsets.end()) && offsets[0] >= 0);
    require(unsigned_of(offsets[offsets.size() - 1]) <= bytes.size(), "the cells must lie within the text");
    require_room(unsigned_of(cells[first]) + 2 * unsigned_of(offsets[offsets.size() - 1] - offsets[first]) + 1 <= out.size());
    return static_cast<std::int64_t>(text::fold_cells(bytes, offsets, first, out, cells, marks));
}

std::int64_t take_words(Bytes bytes, KnownPlaces cells, std::int64_t prefix_size, Byte joint, std::int64_t ngrams,
                        Matrix<std::uint32_t> spans, Places indptr, Column<std::uint32_t> indices, const text::NameColumns& names) {
    require_room(!cells.empty() && cells.size() <= indptr.size() && spans.columns == 2);
    require_room(std::is_sorted(cells.begin(), cells.end()) && cells[0] >= prefix_size);
    const std::size_t begin = unsigned_of(cells[0]), end = unsigned_of(cells[cells.size() - 1]);
    require_slack(bytes, static_cast<std::int64_t>(end));
    require(end == begin || bytes[end - 1] == ' ', "folded text must end with a blank");
    const auto words = static_cast<std::size_t>(std::count(bytes.data + begin, bytes.data + end, Byte{' '}));
    const std::size_t features = words * unsigned_of(ngrams);
    require_room(words <= spans.size() && features <= indices.size() && names.has_room(features, features));
    return text::take_words(bytes.data, cells, unsigned_of(prefix_size), joint, ngrams, spans, indptr, indices, names);
}

std::pair<std::int64_t, std::int64_t> last_record_end(Bytes bytes, Byte delimiter, std::int64_t place) {
    const auto found = text::last_record_end(bytes, 0, static_cast<std::int64_t>(bytes.size()), {delimiter}, text::InCell{place});
    return {found.end, static_cast<std::int64_t>(found.place)};
}

std::int64_t find_records(Bytes bytes, Byte delimiter, bool quotes, Places starts, Places ends, Places lines) {
    const auto most = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), Byte{'\n'})) + 1;
    require_room(most <= std::min({starts.size(), ends.size(), lines.size()}));
    return text::find_records(bytes, {delimiter, quotes}, {starts, ends, lines});
}

void hash_names(std::uint64_t seed, Bytes bytes, KnownPlaces starts, Column<std::uint64_t> hashes) {
    require_room(starts.size() == hashes.size() + 1 && starts[0] >= 0 && std::is_sorted(starts.begin(), starts.end()));
    require_slack(bytes, starts[hashes.size()]);
    for (std::size_t k = 0; k < hashes.size(); ++k)
        hashes[k] = text::hash_of(seed, {bytes.data + starts[k], static_cast<std::uint64_t>(starts[k + 1] - starts[k])}).value;
}

void settle(text::Settling& state, KnownPlaces indptr, Column<std::uint32_t> indices, Matrix<std::uint64_t> waiting, std::int64_t waits,
            Bytes bytes, Byte joint, Column<std::uint64_t> slots, Column<std::uint64_t> hashes, Places starts, Column<Byte> names,
            Column<std::uint32_t> stamp, Places bad, bool refuse) {
    require_room(!indptr.empty() && unsigned_of(waits) <= waiting.size() && (!refuse || bad.size() + 1 >= indptr.size()));
    waiting.rows = unsigned_of(waits);
    text::settle(state, indptr, indices, waiting, bytes.data, joint, {slots, hashes, starts, names}, stamp, bad, refuse);
}

void renumber(Column<std::uint64_t> slots, Column<std::uint64_t> hashes, Places starts, Column<Byte> names, std::int64_t first,
              Column<const std::uint64_t> kept_hashes, KnownPlaces kept_starts, Bytes kept_names, KnownPlaces order) {
    const text::KnownNames kept{{}, kept_hashes, kept_starts, kept_names, kept_hashes.size()};
    text::NameTable{slots, hashes, starts, names}.renumber(first, kept, order);
}

void define_names(nb::module_& module) {
    nb::class_<text::NameColumns>(module, "NameColumns")
        .def(
            "__init__",
            [](text::NameColumns* self, Column<const std::uint64_t> slots, Column<const std::uint64_t> hashes, KnownPlaces starts,
               Bytes names, std::uint64_t known, std::int64_t bits, Column<std::uint32_t> prints, Matrix<std::uint64_t> waiting,
               std::uint64_t seed) { new (self) text::NameColumns{{slots, hashes, starts, names, known}, bits, prints, waiting, seed}; },
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), nb::keep_alive<1, 8>(),
            nb::keep_alive<1, 9>());
    nb::class_<text::Settling>(module, "Settling")
        .def(nb::init<>())
        .def_rw("row", &text::Settling::row)
        .def_rw("names", &text::Settling::names)
        .def_rw("bytes", &text::Settling::bytes)
        .def_rw("tick", &text::Settling::tick)
        .def_ro("repeats", &text::Settling::repeats)
        .def_ro("bad", &text::Settling::bad)
        .def_ro("top", &text::Settling::top)
        .def_ro("bottom", &text::Settling::bottom)
        .def_ro("widest", &text::Settling::widest)
        .def_ro("need_names", &text::Settling::need_names)
        .def_ro("need_bytes", &text::Settling::need_bytes);
    module.def("settle_names", &settle, Released());
    module.def("renumber_names", &renumber, Released());
    module.def(
        "refill_names",
        [](Column<std::uint64_t> slots, Column<std::uint64_t> hashes, Places starts, std::int64_t count) {
            text::NameTable{slots, hashes, starts, {}}.refill(count);
        },
        Released());
    module.def("hash_names", &hash_names, Released());
    module.def("hash_decimals", &text::hash_decimals, Released());
    module.def(
        "note_buckets",
        [](KnownPlaces indptr, Column<const std::uint32_t> indices, Column<const std::uint32_t> prints, Column<std::uint64_t> table,
           Column<std::uint32_t> stamp, std::uint32_t tick, std::int64_t compared) {
            require_room(prints.size() == indices.size());
            return text::note_buckets(indptr, indices, prints, table, stamp, tick, compared);
        },
        Released());
    nb::class_<text::BucketsMet>(module, "BucketsMet")
        .def_ro("repeats", &text::BucketsMet::repeats)
        .def_ro("top", &text::BucketsMet::top)
        .def_ro("bottom", &text::BucketsMet::bottom);
    module.def("is_utf8", [](Bytes bytes) { return text::is_utf8(bytes.begin(), bytes.end()); });
}

}  // namespace

void define_text(nb::module_& module) {
    nb::class_<text::Progress>(module, "Progress")
        .def(nb::init<>())
        .def_rw("rows", &text::Progress::rows)
        .def_rw("lines", &text::Progress::lines)
        .def_rw("labels", &text::Progress::labels)
        .def_rw("weighted", &text::Progress::weighted)
        .def_rw("tagged", &text::Progress::tagged)
        .def_rw("valued", &text::Progress::valued)
        .def_rw("waiting", &text::Progress::waiting);
    define_names(module);
    module.def("parse_libsvm", &parse_libsvm, Released());
    module.def("parse_vw", &parse_vw, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
               nb::arg(), nb::arg(), nb::arg().none(), Released());
    module.def("fold_lines", &fold_lines, Released());
    module.def("number_label", &number_label);
    module.def("fold_cells", &fold_cells, Released());
    module.def("take_words", &take_words, Released());
    module.def("last_record_end", &last_record_end, Released());
    module.def("find_records", &find_records, Released());
}

}  // namespace littlestone::bind
