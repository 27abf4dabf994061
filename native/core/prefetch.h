// A word to the processor's cache. Every compiler has another name for it, so all loops ask here.
#pragma once

namespace littlestone {

// Asks the memory for what is soon to be read.
inline void prefetch(const void* at) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(at);
#else
    static_cast<void>(at);
#endif
}

}  // namespace littlestone
