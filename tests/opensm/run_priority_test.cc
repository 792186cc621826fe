// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/run_priority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/opensm/may_be_realtime.h"
#include "tests/opensm/waits_for.h"

namespace espalier {
namespace {

using test::may_be_realtime;
using test::waits_for;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int policy(pid_t thread = 0) { return ::sched_getscheduler(thread); }

// Capabilities are of the thread, and of those that it makes.
void drop_right_to_priorities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  ASSERT_EQ(::syscall(SYS_capget, &header, sets), 0);
  sets[CAP_TO_INDEX(CAP_SYS_NICE)].effective &= ~CAP_TO_MASK(CAP_SYS_NICE);
  ASSERT_EQ(::syscall(SYS_capset, &header, sets), 0);
}

// What each process may have without that right.
class NoRealtimeLimit {
 public:
  NoRealtimeLimit() {
    ::getrlimit(RLIMIT_RTPRIO, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_RTPRIO, &none);
  }
  ~NoRealtimeLimit() { ::setrlimit(RLIMIT_RTPRIO, &before_); }
  NoRealtimeLimit(const NoRealtimeLimit&) = delete;
  NoRealtimeLimit& operator=(const NoRealtimeLimit&) = delete;

 private:
  rlimit before_{};
};

// Each test has a thread of its own, as OpenSM's sweeping thread is one.
class RunPriorityTest : public ::testing::Test {
 protected:
  template <class Body>
  static void in_a_thread(Body&& body) {
    std::thread(std::forward<Body>(body)).join();
  }

  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }
  std::function<void(std::string_view)> tell() {
    return [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      told_.emplace_back(line);
    };
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> told_;
};

TEST_F(RunPriorityTest, EndsInTheThreadThatRuns) {
  const int raised = may_be_realtime() ? kRealtimePolicy : SCHED_OTHER;
  RunPriority priority(tell());
  in_a_thread([&] {
    priority.raise();
    priority.raise();
    EXPECT_EQ(policy(), raised);
    in_a_thread([&] {
      EXPECT_EQ(policy(), SCHED_OTHER) << "of a thread that it makes";
      priority.raise();
      EXPECT_EQ(policy(), SCHED_OTHER) << "of a second thread";
      priority.lower();
    });
    EXPECT_EQ(policy(), raised) << "when another thread lowers it";
    priority.lower();
    EXPECT_EQ(policy(), SCHED_OTHER);
    priority.lower();
    EXPECT_EQ(policy(), SCHED_OTHER);
    priority.raise();
    EXPECT_EQ(policy(), raised) << "again";
    priority.lower();
  });
}

TEST_F(RunPriorityTest, LeavesTheNiceValueAndWhatAnAdministratorChose) {
  RunPriority priority(tell());
  in_a_thread([&] {
    const int nice = ::getpriority(PRIO_PROCESS, 0) + 1;
    ASSERT_EQ(::setpriority(PRIO_PROCESS, 0, nice), 0);
    priority.raise();
    priority.lower();
    EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), nice);
    const sched_param none{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_BATCH, &none), 0);
    priority.raise();
    EXPECT_EQ(policy(), SCHED_BATCH);
    priority.lower();
    EXPECT_EQ(policy(), SCHED_BATCH);
  });
  if (may_be_realtime()) {
    EXPECT_THAT(told(), IsEmpty());
  }
}

TEST_F(RunPriorityTest, StaysWhatSomebodyChoseMeanwhile) {
  if (!may_be_realtime()) GTEST_SKIP() << "needs CAP_SYS_NICE";
  RunPriority priority(tell());
  in_a_thread([&] {
    priority.raise();
    sched_param chosen{};
    chosen.sched_priority = 2;
    ASSERT_EQ(::sched_setscheduler(0, SCHED_FIFO, &chosen), 0);
    priority.lower();
    EXPECT_EQ(policy(), SCHED_FIFO);
  });
}

TEST_F(RunPriorityTest, IsTakenBackIfTheEndDoesNotCome) {
  if (!may_be_realtime()) GTEST_SKIP() << "needs CAP_SYS_NICE";
  RunPriority priority(tell(), std::chrono::milliseconds(20));
  std::atomic<bool> is_over = false;
  std::atomic<pid_t> worker = 0;
  std::thread helper([&] {
    const RealtimeThread raised;
    worker = ::gettid();
    while (!is_over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  ASSERT_TRUE(waits_for([&] { return worker != 0; }));
  in_a_thread([&] {
    priority.raise();
    while (policy() != SCHED_OTHER) continue;  // goes astray
    EXPECT_TRUE(waits_for([&] { return policy(worker) == SCHED_OTHER; })) << "its workers as well";
    EXPECT_TRUE(waits_for([&] { return !told().empty(); }));
    priority.lower();
    EXPECT_EQ(policy(), SCHED_OTHER);
    priority.raise();
    priority.lower();
  });
  is_over = true;
  helper.join();
  EXPECT_THAT(told(), ElementsAre(HasSubstr("taken back")));
}

TEST_F(RunPriorityTest, LastsFromTheLastCallOn) {
  if (!may_be_realtime()) GTEST_SKIP() << "needs CAP_SYS_NICE";
  constexpr std::chrono::milliseconds kAtMost{1000};
  RunPriority priority(tell(), kAtMost);
  in_a_thread([&] {
    const auto began = std::chrono::steady_clock::now();
    priority.raise();
    std::this_thread::sleep_for(kAtMost / 2);
    priority.raise();
    EXPECT_TRUE(waits_for([] { return policy() == SCHED_OTHER; }));
    EXPECT_GE(std::chrono::steady_clock::now() - began, kAtMost * 3 / 2);
  });
}

TEST_F(RunPriorityTest, IsNoErrorWhereItIsRefused) {
  const NoRealtimeLimit limit;
  RunPriority priority(tell());
  in_a_thread([&] {
    drop_right_to_priorities();
    for (int i = 0; i < 2; ++i) {
      priority.raise();
      EXPECT_EQ(policy(), SCHED_OTHER);
      priority.lower();
      EXPECT_EQ(policy(), SCHED_OTHER);
    }
  });
  EXPECT_THAT(told(), ElementsAre(HasSubstr("refused")));
}

// As where RLIMIT_RTPRIO alone allows it: the kernel does not let such a process clear the flag.
TEST_F(RunPriorityTest, EndsWithoutTheRightToClearTheFlag) {
  if (!may_be_realtime()) GTEST_SKIP() << "needs CAP_SYS_NICE";
  RunPriority priority(tell());
  in_a_thread([&] {
    priority.raise();
    drop_right_to_priorities();
    priority.lower();
    EXPECT_EQ(policy(), SCHED_OTHER | SCHED_RESET_ON_FORK);
  });
}

TEST_F(RunPriorityTest, RestoresTheFlag) {
  if (!may_be_realtime()) GTEST_SKIP() << "needs CAP_SYS_NICE";
  RunPriority priority(tell());
  in_a_thread([&] {
    const sched_param none{};
    ASSERT_EQ(::sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none), 0);
    priority.raise();
    EXPECT_EQ(policy(), kRealtimePolicy);
    priority.lower();
    EXPECT_EQ(policy(), SCHED_OTHER | SCHED_RESET_ON_FORK);
  });
}

}  // namespace
}  // namespace espalier
