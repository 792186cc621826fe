// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Loops over 0 .. count-1 on the threads of the caller's tbb::task_arena.
//
// Why not call oneTBB directly? Debian's libtbb is not instrumented: the thread sanitizer cannot see that the end of a
// loop waits for its workers, and reports every result that is read afterwards. In its builds the same loops run on
// std::thread, which it understands, so that what it reports are races of ours.
#pragma once

#include <cstddef>
#include <utility>

#if defined(__SANITIZE_THREAD__)
#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#endif

namespace espalier {

// body(begin, end) for blocks of the iterations; blocks run in any order, on any thread. What a block throws comes to the
// caller, one exception if there are several. `grain` is the least size of a block that is worth a thread's attention.
template <class Body>
void parallel_blocks(std::size_t count, std::size_t grain, const Body& body) {
#if defined(__SANITIZE_THREAD__)
  static thread_local bool inside = false;
  if (inside) return body(std::size_t{0}, count);  // a loop in a loop stays on its thread
  std::atomic<std::size_t> next = 0;
  std::array<std::exception_ptr, 2> thrown;
  std::vector<std::thread> threads;
  for (std::exception_ptr& exception : thrown)
    threads.emplace_back([&] {
      inside = true;
      try {
        for (std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed); begin < count;
             begin = next.fetch_add(grain, std::memory_order_relaxed))
          body(begin, std::min(begin + grain, count));
      } catch (...) {
        exception = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
#else
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const auto& block) { body(block.begin(), block.end()); });
#endif
}

// body(i) for each i.
template <class Body>
void parallel_for(std::size_t count, const Body& body) {
  parallel_blocks(count, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

// All blocks' values joined, where body(begin, end, value so far) -> value.
// REQUIRES: join is associative and commutative, and `identity` neutral to it: the result does not depend on threads.
template <class Value, class Body, class Join>
[[nodiscard]] Value parallel_reduce(std::size_t count, std::size_t grain, const Value& identity, const Body& body,
                                    const Join& join) {
#if defined(__SANITIZE_THREAD__)
  Value total = identity;
  std::mutex mutex;
  parallel_blocks(count, grain, [&](std::size_t begin, std::size_t end) {
    Value value = body(begin, end, identity);
    const std::lock_guard lock(mutex);
    total = join(std::move(total), value);
  });
  return total;
#else
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count, grain), identity,
      [&](const auto& block, Value so_far) { return body(block.begin(), block.end(), std::move(so_far)); }, join);
#endif
}

}  // namespace espalier
