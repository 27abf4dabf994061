// Work on the groups of a stream that can be shared among threads: every player plays the groups one after the other, and a group is heard
// once all have played it, in order. Who plays when changes nothing, since players share nothing.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace littlestone {

class InTurns {
public:
    static constexpr std::size_t ahead = 2;  // groups that players may have begun and nobody has heard

    InTurns(std::size_t groups, std::size_t players) : groups_(groups), played_(players, 0), busy_(players, false), costs_(players, 0.0) {}

    // Calls play(k, g) and hear(g) for every player k and group g, on so many threads, or on as many as the system gives. What one of them
    // throws ends the work of all, and is thrown here.
    template <class Play, class Hear>
    void run(std::size_t threads, Play play, Hear hear) {
        if (threads < 2) {
            for (std::size_t g = 0; g < groups_; ++g) {
                for (std::size_t k = 0; k < played_.size(); ++k) play(k, g);
                hear(g);
            }
            return;
        }
        std::vector<std::thread> others;
        others.reserve(threads - 1);
        try {
            for (std::size_t i = 1; i < threads; ++i) others.emplace_back([&] { work(play, hear); });
        } catch (const std::system_error&) {
        }
        work(play, hear);
        for (std::thread& other : others) other.join();
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    using Clock = std::chrono::steady_clock;

    template <class Play, class Hear>
    void work(Play& play, Hear& hear) {
        try {
            take_turns(play, hear);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!thrown_) thrown_ = std::current_exception();
            changed_.notify_all();
        }
    }
    template <class Play, class Hear>
    void take_turns(Play& play, Hear& hear) {
        std::unique_lock lock(mutex_);
        while (heard_ < groups_ && !thrown_) {
            if (!hearing_ && all_have_played(heard_)) {
                hearing_ = true;
                lock.unlock();
                hear(heard_);
                lock.lock();
                hearing_ = false;
                ++heard_;
            } else if (const std::size_t k = next_player(); k < played_.size()) {
                busy_[k] = true;
                lock.unlock();
                const auto begun = Clock::now();
                play(k, played_[k]);
                const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
                lock.lock();
                costs_[k] = seconds;
                busy_[k] = false;
                ++played_[k];
            } else {
                changed_.wait(lock);
                continue;
            }
            changed_.notify_all();
        }
    }
    bool all_have_played(std::size_t group) const {
        return std::all_of(played_.begin(), played_.end(), [&](std::size_t played) { return played > group; });
    }
    // Who is furthest behind, and of those who takes longest, so that no thread waits for one in the end; nobody where all are ahead.
    std::size_t next_player() const {
        const std::size_t end = std::min(groups_, heard_ + ahead);
        std::size_t next = played_.size();
        for (std::size_t k = 0; k < played_.size(); ++k) {
            if (busy_[k] || played_[k] >= end) continue;
            if (next == played_.size() || played_[k] < played_[next] || (played_[k] == played_[next] && costs_[k] > costs_[next])) next = k;
        }
        return next;
    }

    std::size_t groups_;
    std::vector<std::size_t> played_;  // groups, by each
    std::vector<bool> busy_;
    std::vector<double> costs_;  // seconds of each for its last group
    std::size_t heard_ = 0;
    bool hearing_ = false;
    std::exception_ptr thrown_;
    std::mutex mutex_;
    std::condition_variable changed_;
};

}  // namespace littlestone
