// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/tools/command.h"
#include "tests/support/own_directory.h"

namespace espalier::tools {
namespace {

using std::chrono::seconds;

class Program : public test::OwnDirectory {
 protected:
  Program() : log_(path_) {}
  std::string output() const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.str();
  }
  std::string log_;
};

TEST(Child, answers_with_as_much_as_it_likes) {
  const auto answer = run_in_child(seconds(30), [] { return std::string(1'000'000, 'x'); });
  ASSERT_TRUE(answer) << answer.error().text();
  EXPECT_EQ(answer->size(), 1'000'000U);
}

TEST(Child, changes_nothing_here) {
  int number = 1;
  ASSERT_TRUE(run_in_child(seconds(30), [&] { return std::to_string(number = 2); }));
  EXPECT_EQ(number, 1);
}

TEST(Child, that_throws_says_why) {
  const auto thrown = run_in_child(seconds(30), []() -> std::string { throw std::runtime_error("no luck"); });
  ASSERT_FALSE(thrown);
  EXPECT_EQ(thrown.error().text(), "no luck");
  const auto refused = run_in_child(seconds(30), []() -> std::string { throw Refused{{"bad line", "net", 3, {}}}; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "net:3: bad line");
}

TEST(Child, that_crashes_is_an_error) {
  const auto answer = run_in_child(seconds(30), []() -> std::string {
    ::raise(SIGKILL);
    return {};
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().text(), "killed by signal 9");
}

TEST(Child, that_hangs_is_stopped) {
  const auto answer = run_in_child(seconds(1), [] {
    std::this_thread::sleep_for(seconds(600));
    return std::string();
  });
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().text(), "not finished within 1 s");
}

TEST_F(Program, gets_words_and_environment_and_writes_to_the_log) {
  const auto code =
      run_program({"sh", "-c", "echo \"$0 $NAME\"; echo wrong >&2; exit 3", "two words"}, {{"NAME", "value"}}, log_);
  ASSERT_TRUE(code) << code.error().text();
  EXPECT_EQ(*code, 3);
  EXPECT_EQ(output(), "two words value\nwrong\n");
}

TEST_F(Program, that_a_signal_ends_has_no_exit_code) {
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}, {}, log_).value_or(0), -1);
}

TEST_F(Program, that_does_not_exist_is_an_error) {
  const auto code = run_program({"/no/such/program"}, {}, log_);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().text(), "cannot start /no/such/program");
}

// The program notes its id and would run for ten minutes; the child that started it is killed.
TEST_F(Program, ends_with_the_process_that_started_it) {
  const std::string id_file = log_ + ".id";
  const auto answer = run_in_child(seconds(2), [&] {
    (void)run_program({"sh", "-c", "echo $$ >'" + id_file + "'; exec sleep 600"}, {}, log_);
    return std::string();
  });
  EXPECT_FALSE(answer);
  pid_t id = 0;
  std::ifstream(id_file) >> id;
  ASSERT_GT(id, 0);
  bool is_gone = false;
  for (int i = 0; i < 100 && !is_gone; ++i) {
    std::ifstream status("/proc/" + std::to_string(id) + "/stat");
    std::string name;
    char state = 'X';
    status >> id >> name >> state;
    is_gone = state == 'X' || state == 'Z';
    if (!is_gone) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(is_gone);
  std::filesystem::remove(id_file);
}

}  // namespace
}  // namespace espalier::tools
