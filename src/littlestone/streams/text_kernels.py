"""Words of text, compiled. First text is folded: its words in lower case, a blank after each; then the words are looked up.

Since the second version of readings `marks` are words too: some in a row, or one that says something.
"""

import re

import numpy as np

from littlestone.kernels.compiler import jit_lent, jit_lent_apart
from littlestone.rounds.features import MARK, words_in
from littlestone.streams.name_kernels import BATCH, SEED, before_names, collect_hash, collect_name, hash_of, place_names, same
from littlestone.streams.number_kernels import EIGHT, NEWLINE, NONE, ONE, RETURN, SPACE, TAB, U
from littlestone.streams.vw_kernels import word_end

# For each byte: itself in lower case where it may stand in a word, a blank where not, and 0 where a line ends or more than ASCII begins.
FOLDED = np.array(
    [0 if c >= 0x80 or chr(c) in "\r\n" else ord(chr(c).lower()) if chr(c).isalnum() or c == ord("_") else ord(" ") for c in range(256)],
    np.uint8,
)
# For each byte: 0 where it is no mark, 1 where it is one that is a word beside others only, 2 where it is one by itself.
MARKS = np.array([1 + len(words_in(chr(c))) if c < 0x80 and re.fullmatch(MARK, chr(c)) else 0 for c in range(256)], np.uint8)


@jit_lent
def fold(text, p, stop, out, to, marks):
    """Fold text from p on, up to `stop`, the end of the line or what is not ASCII: (where that is, where `out` ends then)."""
    inside = False
    while p < stop and FOLDED[text[p]] != 0:
        c = FOLDED[text[p]]
        if marks and MARKS[text[p]] != 0:
            if inside:
                out[to] = SPACE
                to += ONE
                inside = False
            begin = p
            while p < stop and MARKS[text[p]] != 0:
                out[to] = text[p]
                to += ONE
                p += ONE
            if p - begin == ONE and MARKS[text[begin]] == 1:
                to -= ONE
            else:
                out[to] = SPACE
                to += ONE
            continue
        out[to] = c
        is_word = c != SPACE
        to += U(is_word | inside)  # of several blanks, all but the first are written over
        inside = is_word
        p += ONE
    if inside:
        out[to] = SPACE
        to += ONE
    return p, to


@jit_lent_apart
def kind_of(text, at, n, kinds, many):
    """Which label this is, of `many` that are known by hash and place; a new one is the next: (which, how many there are then)."""
    h, _ = hash_of(SEED, text, at, n, NONE, NONE, np.uint8(0))
    which = 0
    while which < many:
        alike = kinds[which, 0] == h and kinds[which, 2] == n
        if alike and (n <= EIGHT or same(text, kinds[which, 1], text, at, n, NONE, NONE, np.uint8(0))):
            break
        which += 1
    if which == many:
        kinds[which, 0], kinds[which, 1], kinds[which, 2] = h, at, n
        many += 1
    return which, many


@jit_lent
def fold_lines(text, start, stop, state, labels, lines, kinds, out, cells, marks):
    """Fold lines of a label, a tab and text, from row state[0] and line state[1] on; cells[row] is where the words of a row end.

    Returns the place: `stop`, or where a line begins that the plain reader judges. state[2] is how many labels are known.
    """
    p, stop, row, line, many = U(start), U(stop), U(state[0]), state[1], state[2]
    to = U(cells[row])
    while p < stop:
        begin = p
        while FOLDED[text[p]] != 0 and text[p] != TAB:
            p += ONE
        if p == begin and text[p] == NEWLINE:
            p += ONE
            line += 1
            continue
        if text[p] != TAB:
            p = begin
            break
        after, end = fold(text, p + ONE, stop, out, to, marks)
        if text[after] == RETURN and text[after + ONE] == NEWLINE:
            after += ONE
        if text[after] != NEWLINE:
            p = begin
            break
        labels[row] = np.nan
        if p > begin:
            which, many = kind_of(text, begin, p - begin, kinds, many)
            labels[row] = which
        lines[row] = line
        row += ONE
        to = end
        cells[row] = to
        p = after + ONE
        line += 1
    state[0], state[1], state[2] = row, line, many
    return p


@jit_lent
def fold_cells(data, offsets, row, out, cells, marks):
    """Fold cells of a column of text, from `row` on; the row at which there is more than ASCII, or how many rows there are."""
    rows = len(offsets) - 1
    to = U(cells[row])
    while row < rows:
        p, stop, end = U(offsets[row]), U(offsets[row + 1]), to
        p, end = fold(data, p, stop, out, end, marks)
        while p < stop and (data[p] == NEWLINE or data[p] == RETURN):  # here these are blanks
            p, end = fold(data, p + ONE, stop, out, end, marks)
        if p < stop:
            break
        to = end
        row += 1
        cells[row] = to
    return row


@jit_lent
def bag_rows(text, cells, first, prefixed, joint, ngrams, spans, indptr, indices, names):
    """Features of folded rows: their words, then their pairs of words, and so on. How many names wait for a column.

    Row t is text[cells[t]:cells[t+1]], the first one begins at `first`. Before each name stand the first `prefixed` bytes of the text and
    `joint`, where prefixed is not 0. `names` are as `place_names` takes them.
    """
    batch, seed = names[0], names[5]
    before, room = before_names(text, NONE, U(prefixed), joint)
    k, done, j, waits, m_all = NONE, NONE, NONE, 0, U(prefixed)
    p = U(first)
    for t in range(len(cells) - 1):
        stop, words = U(cells[t + 1]), NONE
        while p < stop:
            end = word_end(text, p)
            while text[end] != SPACE:  # marks at which words of VW text end
                end = word_end(text, end + ONE)
            spans[words, 0], spans[words, 1] = p, end
            words += ONE
            p = end + ONE
        for together in range(ONE, U(ngrams) + ONE):
            for i in range(words + ONE - together if words >= together else NONE):
                place = U(spans[i, 0])
                size = U(spans[i + together - ONE, 1]) - place
                collect_name(j, text, place, size, NONE, m_all, before, batch)
                if size > room:
                    collect_hash(j, hash_of(seed, text, place, size, NONE, m_all, joint)[0], batch)
                k += ONE
                j += ONE
                if j == U(BATCH):
                    waits = place_names(done, j, text, joint, indices, waits, names)
                    done, j = k, NONE
        indptr[t + 1] = k
    return place_names(done, j, text, joint, indices, waits, names)
