// Names of features: their hash, and the table that gives them columns in the order in which they first appear.
//
// The table is made of arrays: the bytes of all names one after the other, where each begins, the hash of each, and slots to find them by
// (open addressing, linear probing). A slot holds the upper 24 bits of a hash, the length of the name (255 for more) and its column plus 1,
// or 0. Parsers on other threads look names up while one thread adds some: they are told how many names were known when they were given
// the arrays, these are replaced when they grow, never moved, and a slot that holds a later name ends a search as an empty one does.
#pragma once
#include <algorithm>
#include <cstring>
#include "../core/bytes.h"
#include "../core/prefetch.h"
#include "../core/row.h"

namespace littlestone::text {

constexpr std::uint64_t hash_factor = 0xD6E8FEB86659FD93;
constexpr std::uint32_t unknown = 0xFFFFFFFF;  // the column of a name that has none yet
constexpr std::uint64_t low_half = 0xFFFFFFFF;
constexpr unsigned half = 32;

inline std::uint64_t mixed(std::uint64_t h, std::uint64_t word) {
    h = (h ^ word) * hash_factor;
    return h ^ (h >> 32);
}

inline std::uint64_t ended(std::uint64_t h) { return mixed(h, 0); }

// A name as it stands in a text: `size` bytes. Where there is a prefix (a namespace of VW text, a column of a table), it stands somewhere
// else, and `joint` between both.
struct Name {
    const Byte* at;
    std::uint64_t size;
    const Byte* prefix = nullptr;
    std::uint64_t prefix_size = 0;
    Byte joint = 0;

    std::uint64_t before() const { return prefix_size + (prefix_size != 0); }  // bytes before the name
    std::uint64_t length() const { return before() + size; }
};

// The hash of a name, and all its words or-ed together, which tells whether a byte is above 0x7F.
struct Hash {
    std::uint64_t value, bytes;
};

// A name is hashed in words of eight bytes, prefix and joint before it, as if they stood in one place.
inline Hash hash_of(std::uint64_t seed, const Name& name) {
    std::uint64_t h = seed ^ name.length(), high = 0;
    const Byte *prefix = name.prefix, *at = name.at;
    std::uint64_t left = name.prefix_size, word = 0, used = 0;  // the bytes of the next word that are known already
    if (left > 0) {
        for (; left >= 8; left -= 8, prefix += 8) {
            const std::uint64_t whole = load8(prefix);
            h = mixed(h, whole);
            high |= whole;
        }
        word = static_cast<std::uint64_t>(name.joint) << (left * 8);
        if (left > 0) word |= first_bytes(prefix, left);
        high |= word;
        used = left + 1;
        if (used == 8) {
            h = mixed(h, word);
            word = used = 0;
        }
    }
    for (left = name.size; left > 0;) {
        const std::uint64_t taken = std::min<std::uint64_t>(left, 8), bytes = first_bytes(at, taken);
        high |= bytes;
        word |= bytes << (used * 8);
        if (used + taken >= 8) {
            h = mixed(h, word);
            word = used > 0 ? bytes >> (64 - used * 8) : 0;
            used = used + taken - 8;
        } else {
            used += taken;
        }
        at += taken;
        left -= taken;
    }
    return {ended(used > 0 ? mixed(h, word) : h), high};
}

inline void write_name(Byte* to, const Name& name) {
    if (name.prefix_size > 0) {
        std::memcpy(to, name.prefix, name.prefix_size);
        to[name.prefix_size] = name.joint;
        to += name.before();
    }
    if (name.size > 0) std::memcpy(to, name.at, name.size);
}

// What a slot holds of a name, without its column.
inline std::uint64_t slot_kind(std::uint64_t hash, std::uint64_t length) {
    return (hash & 0xFFFFFF0000000000) | std::min<std::uint64_t>(length, 255) << half;
}

// The table as parsers look into it.
struct KnownNames {
    Column<const std::uint64_t> slots, hashes;
    Column<const std::int64_t> starts;
    Column<const Byte> bytes;
    std::uint64_t count;

    std::uint64_t slot(std::uint64_t place) const { return read_shared(&slots[place & (slots.size() - 1)]); }
    std::uint64_t start(std::uint64_t column) const { return static_cast<std::uint64_t>(starts[column]); }

    bool is_at(std::uint64_t column, const Name& name) const {
        const std::uint64_t begin = start(column);
        if (start(column + 1) - begin != name.length()) return false;
        const Byte* kept = &bytes[begin];
        if (name.prefix_size > 0) {
            if (std::memcmp(kept, name.prefix, name.prefix_size) != 0 || kept[name.prefix_size] != name.joint) return false;
            kept += name.before();
        }
        return std::memcmp(kept, name.at, name.size) == 0;
    }

    // The column of a name, if it is known. Names of at most eight bytes are told apart by hash and length alone: the steps of the hash
    // can be undone.
    std::uint32_t find(std::uint64_t hash, const Name& name) const {
        const std::uint64_t kind = slot_kind(hash, name.length()) >> half;
        for (std::uint64_t place = hash;; ++place) {
            const std::uint64_t entry = slot(place), column = (entry & low_half) - 1;  // of an empty slot: beyond any count
            if (column >= count) return unknown;
            if (entry >> half == kind && hashes[column] == hash && (name.length() <= 8 || is_at(column, name)))
                return static_cast<std::uint32_t>(column);
        }
    }
};

// A name that waits for a column: which feature it is, its hash, and where in a text its bytes are.
struct Waiting {
    std::uint64_t feature, hash, span, prefix;

    Waiting(std::uint64_t number, std::uint64_t hashed, const Name& name, const Byte* text)
        : feature(number),
          hash(hashed),
          span(static_cast<std::uint64_t>(name.at - text) | name.size << half),
          prefix(name.prefix_size ? static_cast<std::uint64_t>(name.prefix - text) | name.prefix_size << half : 0) {}

    explicit Waiting(const Column<std::uint64_t>& row) : feature(row[0]), hash(row[1]), span(row[2]), prefix(row[3]) {}

    void write(const Column<std::uint64_t>& row) const {
        row[0] = feature;
        row[1] = hash;
        row[2] = span;
        row[3] = prefix;
    }
    Name name(const Byte* text, Byte joint) const {
        return {text + (span & low_half), span >> half, text + (prefix & low_half), prefix >> half, joint};
    }
};

// Where the names of a text get their columns: from a table, where those that it does not know wait; or, with bits, from their hashes.
struct NameColumns {
    KnownNames known;
    std::int64_t bits;
    Column<std::uint32_t> prints;      // with bits: the other half of each hash
    Matrix<std::uint64_t> waiting;     // without
    std::uint64_t seed;

    bool has_room(std::size_t features, std::size_t waits) const { return bits ? features <= prints.size() : waits <= waiting.size(); }
};

// What stands before the names of a namespace or a column: as one word, and how many bytes two words have left for a name. The word is 0
// where it is too long for that.
struct Before {
    const Byte* prefix = nullptr;
    std::uint64_t prefix_size = 0, word = 0, room = 16;
    Byte joint = 0;

    Before(const Byte* at, std::uint64_t size, Byte between) : prefix(at), prefix_size(size), joint(between) {
        if (size == 0) return;
        room = size < 7 ? 16 - size - 1 : 0;
        if (size < 7) word = first_bytes(at, size) | static_cast<std::uint64_t>(joint) << (size * 8);
    }
    Name name(const Byte* at, std::uint64_t size) const { return {at, size, prefix, prefix_size, joint}; }
};

// Features that are names, which are hashed and looked up together, several hundred at a time. A branch that waits for the memory and is
// guessed wrongly costs the whole way there, so the loops over them have none that are hard to guess.
class NameFeatures {
  public:
    static constexpr std::size_t batch = 512;

    NameFeatures(const NameColumns& columns, const Byte* text, Byte joint, std::uint32_t* indices, std::size_t done, std::int64_t waits)
        : columns_(columns), text_(text), indices_(indices), done_(done), waits_(static_cast<std::size_t>(waits)), joint_(joint) {}

    std::size_t size() const { return done_ + many_; }
    std::int64_t waits() const { return static_cast<std::int64_t>(waits_); }
    bool has_room(std::size_t more) const { return many_ + more <= batch; }

    // Looks at a name of at most `before.room` bytes; returns its first sixteen bytes, and perhaps some after it, or-ed together. It is
    // taken by `keep`.
    std::uint64_t look_at(const Before& before, const Byte* at, std::uint64_t size) {
        at_[many_] = static_cast<std::uint32_t>(at - text_);
        size_[many_] = static_cast<std::uint32_t>(size);
        prefix_[many_] = static_cast<std::uint32_t>(before.prefix - text_);
        prefix_size_[many_] = static_cast<std::uint32_t>(before.prefix_size);
        before_[many_] = before.word;
        low_[many_] = load8(at);
        high_[many_] = load8(at + 8);
        return low_[many_] | high_[many_];
    }
    void keep() { ++many_; }

    // Takes a name of any length, of which the hash is known.
    void add(const Before& before, const Byte* at, std::uint64_t size, std::uint64_t hash) {
        look_at(before, at, size);
        own_[owns_++] = {static_cast<std::uint32_t>(many_++), hash};
    }

    // Forgets the last ones.
    void shrink(std::size_t size) {
        while (waits_ > 0 && columns_.bits == 0 && columns_.waiting[waits_ - 1][0] >= size) --waits_;
        many_ = size > done_ ? size - done_ : 0;
        done_ = std::min(done_, size);
        while (owns_ > 0 && own_[owns_ - 1].place >= many_) --owns_;
    }

    // Gives columns to those that were taken.
    void look_up() {
        hash_all();
        if (columns_.bits == 0) {
            find_all();
        } else {
            const std::uint64_t mask = (std::uint64_t{1} << columns_.bits) - 1;
            for (std::size_t j = 0; j < many_; ++j) {
                indices_[done_ + j] = static_cast<std::uint32_t>(hash_[j] & mask);
                columns_.prints[done_ + j] = static_cast<std::uint32_t>(hash_[j] >> half);
            }
        }
        done_ += many_;
        many_ = owns_ = 0;
    }

  private:
    struct Own {  // a name that was hashed by itself
        std::uint32_t place;
        std::uint64_t hash;
    };

    Name name(std::size_t j) const { return {text_ + at_[j], size_[j], text_ + prefix_[j], prefix_size_[j], joint_}; }
    std::uint64_t length(std::size_t j) const { return std::uint64_t{size_[j]} + prefix_size_[j] + (prefix_size_[j] != 0); }

    // Nearly all names are at most two words long with what stands before them. The words, filled up with zeros, are left in the place of
    // the bytes.
    void hash_all() {
        constexpr std::uint64_t all = ~std::uint64_t{0};
        for (std::size_t j = 0; j < many_; ++j) {
            const std::uint64_t size = length(j), bits = (size - size_[j]) * 8;
            const std::uint64_t low = (before_[j] | low_[j] << (bits & 63)) & (all >> ((64 - std::min<std::uint64_t>(size, 8) * 8) & 63));
            const std::uint64_t high =
                ((low_[j] >> 1 >> ((63 - bits) & 63)) | high_[j] << (bits & 63)) & (all >> (((16 - size) * 8) & 63));
            const std::uint64_t one = mixed(columns_.seed ^ size, low), two = mixed(one, high);
            hash_[j] = ended(size > 8 ? two : one);
            low_[j] = low;
            high_[j] = high;
        }
        for (std::size_t i = 0; i < owns_; ++i) hash_[own_[i].place] = own_[i].hash;
    }

    // What the first slot, the hash and two words do not decide, `find` does, when all that it reads is near.
    void find_all() {
        const KnownNames& known = columns_.known;
        std::uint32_t listed[batch];
        std::uint64_t column[batch], begin[batch];
        bool doubtful[batch];
        std::size_t longer = 0, doubts = 0;
        for (std::size_t j = 0; j < many_; ++j) {
            const std::uint64_t entry = known.slot(hash_[j]), found = (entry & low_half) - 1;
            const bool alike = (found < known.count) & (((entry ^ slot_kind(hash_[j], length(j))) >> half) == 0);
            column[j] = alike ? found : 0;
            doubtful[j] = (known.hashes[column[j]] != hash_[j]) | !alike;
        }
        for (std::size_t j = 0; j < many_; ++j) {
            indices_[done_ + j] = static_cast<std::uint32_t>(column[j]);
            listed[longer] = static_cast<std::uint32_t>(j);
            longer += !doubtful[j] & (length(j) > 8);
        }
        for (std::size_t d = 0; d < longer; ++d) {
            const std::size_t j = listed[d];
            const Byte* kept = &known.bytes[known.start(column[j])];
            const std::uint64_t rest = ~std::uint64_t{0} >> (((16 - length(j)) * 8) & 63);
            doubtful[j] = ((load8(kept) ^ low_[j]) | ((load8(kept + 8) ^ high_[j]) & rest)) != 0 || length(j) > 16;
        }
        for (std::size_t j = 0; j < many_; ++j) {
            listed[doubts] = static_cast<std::uint32_t>(j);
            doubts += doubtful[j];
        }
        for (std::size_t d = 0; d < doubts; ++d) begin[d] = known.start(column[listed[d]]);
        for (std::size_t d = 0; d < doubts; ++d) prefetch(&known.bytes[begin[d]]);
        for (std::size_t d = 0; d < doubts; ++d) {
            const std::size_t j = listed[d];
            const std::uint32_t found = known.find(hash_[j], name(j));
            indices_[done_ + j] = found;
            if (found == unknown) Waiting(done_ + j, hash_[j], name(j), text_).write(columns_.waiting[waits_++]);
        }
    }

    const NameColumns& columns_;
    const Byte* text_;
    std::uint32_t* indices_;
    std::size_t done_, many_ = 0, owns_ = 0;  // looked up; taken since, and those of them that are in `own_`
    std::size_t waits_;
    Byte joint_;
    std::uint32_t at_[batch], size_[batch], prefix_[batch], prefix_size_[batch];
    std::uint64_t low_[batch], high_[batch], before_[batch];  // their first bytes, two words of them, and what stands before
    std::uint64_t hash_[batch];
    Own own_[batch];
};

// The table as the one thread sees it that adds names.
struct NameTable {
    Column<std::uint64_t> slots, hashes;
    Column<std::int64_t> starts;
    Column<Byte> bytes;

    KnownNames known(std::int64_t count) const {
        return {{slots.data, slots.size()}, {hashes.data, hashes.size()}, {starts.data, starts.size()}, {bytes.data, bytes.size()},
                static_cast<std::uint64_t>(count)};
    }
    bool has_room(std::int64_t names, std::int64_t end) const {
        const auto count = static_cast<std::size_t>(names);
        return count * 2 <= slots.size() && count + 1 <= starts.size() && count <= hashes.size() &&
               static_cast<std::size_t>(end) + slack <= bytes.size();
    }

    // Takes the first free slot for a name that is not in the table; returns its place.
    std::uint64_t put(std::uint64_t hash, std::uint64_t length, std::int64_t column) const {
        const std::uint64_t mask = slots.size() - 1;
        std::uint64_t place = hash & mask;
        while (slots[place] != 0) place = (place + 1) & mask;
        write_shared(&slots[place], slot_kind(hash, length) | (static_cast<std::uint64_t>(column) + 1));
        return place;
    }

    // Keeps a name behind the others, as that column, and returns its slot.
    std::uint64_t add(std::uint64_t hash, const Name& name, std::int64_t column) const {
        const auto place = static_cast<std::size_t>(column);
        write_name(&bytes[static_cast<std::size_t>(starts[place])], name);
        hashes[place] = hash;
        starts[place + 1] = starts[place] + static_cast<std::int64_t>(name.length());
        return put(hash, name.length(), column);
    }

    // Puts the first names into an empty table.
    void refill(std::int64_t count) const {
        for (std::size_t column = 0; column < static_cast<std::size_t>(count); ++column)
            put(hashes[column], static_cast<std::uint64_t>(starts[column + 1] - starts[column]), static_cast<std::int64_t>(column));
    }

    // Gives the names from column `first` on, which were put in last, other columns: the k-th of `order` gets first + k, and names that it
    // leaves out are taken back. `kept` are copies of what stands there.
    void renumber(std::int64_t first, const KnownNames& kept, const Column<const std::int64_t>& order) const {
        const std::uint64_t mask = slots.size() - 1;
        for (std::size_t k = 0; k < kept.hashes.size(); ++k) {
            std::uint64_t place = kept.hashes[k] & mask;
            while ((slots[place] & low_half) != static_cast<std::uint64_t>(first) + k + 1) place = (place + 1) & mask;  // over gaps, too
            write_shared(&slots[place], 0);
        }
        std::int64_t column = first;
        for (const std::int64_t which : order) {
            const auto old = static_cast<std::size_t>(which);
            add(kept.hashes[old], {&kept.bytes[kept.start(old)], kept.start(old + 1) - kept.start(old)}, column++);
        }
    }
};

// How far the settling of some rows has come, and what was found of them.
struct Settling {
    std::int64_t row = 0, waited = 0, names = 0, bytes = 0;
    std::uint32_t tick = 0;
    std::int64_t repeats = 0, bad = 0;
    std::uint32_t top = 0, bottom = 0xFFFFFFFF;
    std::int64_t widest = 0;
    std::int64_t need_names = 0, need_bytes = 0;  // for the row at which it stops
};

// Gives a column to each name that waits, in order, and looks for features that stand twice in their row, by comparing those of short rows
// and by stamps in longer ones. Stops before a row for which the table has no room. A row with a repeated feature is noted in `bad` if
// that is refused, and its new names are taken back; else it is only counted.
inline void settle(Settling& state, const Column<const std::int64_t>& indptr, const Column<std::uint32_t>& indices,
                   const Matrix<std::uint64_t>& waiting, const Byte* text, Byte joint, const NameTable& table,
                   const Column<std::uint32_t>& stamp, const Column<std::int64_t>& bad, bool refuse) {
    constexpr std::size_t compared = 12;  // features of a row
    const std::size_t rows = indptr.size() - 1;
    auto next = static_cast<std::size_t>(state.waited);
    for (; static_cast<std::size_t>(state.row) < rows; ++state.row) {
        const auto row = static_cast<std::size_t>(state.row);
        const auto lo = static_cast<std::size_t>(indptr[row]), hi = static_cast<std::size_t>(indptr[row + 1]);
        const std::int64_t names = state.names, bytes = state.bytes;
        const std::size_t first = next;
        std::size_t last = next;
        std::uint64_t length = 0;
        for (; last < waiting.size() && waiting[last][0] < hi; ++last)
            length += (waiting[last][2] >> half) + (waiting[last][3] >> half) + 1;
        if (last > next) {
            state.need_names = names + static_cast<std::int64_t>(last - next);
            state.need_bytes = bytes + static_cast<std::int64_t>(length);
            if (!table.has_room(state.need_names, state.need_bytes)) break;
            for (; next < last; ++next) {
                const Waiting one(waiting[next]);
                const Name name = one.name(text, joint);
                std::uint32_t column = table.known(state.names).find(one.hash, name);
                if (column == unknown) {
                    column = static_cast<std::uint32_t>(state.names);
                    const std::uint64_t slot = table.add(one.hash, name, state.names);
                    waiting[first + static_cast<std::size_t>(state.names - names)][3] = slot;  // in a place that has been read
                    state.bytes += static_cast<std::int64_t>(name.length());
                    ++state.names;
                }
                indices[one.feature] = column;
            }
        }
        std::int64_t twice = 0;
        const bool few = hi - lo <= compared;
        for (std::size_t k = lo; k < hi; ++k) {
            const std::uint32_t i = indices[k];
            if (few) {
                for (std::size_t j = k + 1; j < hi; ++j) twice += indices[j] == i;
            } else {
                twice += stamp[i] == state.tick;
                stamp[i] = state.tick;
            }
            state.top = std::max(state.top, i);
            state.bottom = std::min(state.bottom, i);
        }
        ++state.tick;
        state.widest = std::max(state.widest, static_cast<std::int64_t>(hi - lo));
        if (twice == 0) continue;
        state.repeats += twice;
        if (refuse) {
            bad[static_cast<std::size_t>(state.bad++)] = state.row;
            for (std::int64_t k = 0; k < state.names - names; ++k)  // the last ones put in, so no search passes over them
                write_shared(&table.slots[waiting[first + static_cast<std::size_t>(k)][3]], 0);
            state.names = names;
            state.bytes = bytes;
        }
    }
    state.waited = static_cast<std::int64_t>(next);
}

// Are these bytes UTF-8, as Python judges it?
inline bool is_utf8(const Byte* p, const Byte* stop) {
    while (p < stop) {
        const Byte c = *p;
        if (c < 0x80) {
            ++p;
            continue;
        }
        const int more = 0xC2 <= c && c <= 0xDF ? 1 : (c & 0xF0) == 0xE0 ? 2 : 0xF0 <= c && c <= 0xF4 ? 3 : 0;
        if (more == 0 || stop - p <= more) return false;
        const Byte low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80, high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
        if (p[1] < low || p[1] > high) return false;
        for (int k = 2; k <= more; ++k)
            if ((p[k] & 0xC0) != 0x80) return false;
        p += more + 1;
    }
    return true;
}

}  // namespace littlestone::text
