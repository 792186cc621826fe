// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/schedule/schedule_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "core/io/file.h"
#include "core/io/schedule/schedule_directory.h"
#include "core/io/schedule/schedule_text.h"
#include "core/schedule/client/schedule_layout.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

Schedule small_schedule() {
  Schedule schedule;
  schedule.epoch = 7;
  schedule.mode = ScheduleMode::kBlock;
  schedule.lmc = 2;
  schedule.phases = 2;
  schedule.bound = 2;
  schedule.servers = {Guid{0x11}, Guid{0x22}, Guid{0xFFFF000000000033}};
  schedule.sends = {{1, Lid{8}}, {2, Lid{13}}, {0, Lid{4}}, {}, {}, {1, Lid{0xBFFF}}};
  return schedule;
}

std::string complaint(const Result<Schedule>& result) { return result ? "" : result.error().text(); }

TEST(ScheduleText, HasOneLinePerFlow) {
  EXPECT_EQ(write_schedule_text(small_schedule()),
            "# espalier schedule\n# epoch 7\n# phases 2\n# bound 2\n# mode block\n# lmc 2\n# servers 3\n# flows 4\n"
            "0 0x0000000000000011 0x0000000000000022 8\n"
            "0 0x0000000000000022 0x0000000000000011 4\n"
            "1 0x0000000000000011 0xffff000000000033 13\n"
            "1 0xffff000000000033 0x0000000000000022 49151\n");
}

TEST(ScheduleText, ReadsBackWhatItWrote) {
  const auto again = read_schedule_text(write_schedule_text(small_schedule()), "s.txt");
  ASSERT_TRUE(again) << complaint(again);
  EXPECT_EQ(*again, small_schedule());
}

TEST(ScheduleText, NeedsNoHeader) {
  const auto read = read_schedule_text("\n# hello\n3 0x2 0x1 5\n0 0x1 0x2 6\n", "s.txt");
  ASSERT_TRUE(read) << complaint(read);
  EXPECT_EQ(read->phases, 4U);
  EXPECT_EQ(read->servers, (std::vector<Guid>{Guid{1}, Guid{2}}));
  EXPECT_EQ(read->at(1, 3), (Send{0, Lid{5}}));
}

TEST(ScheduleText, NamesFileAndLineOfWhatIsWrong) {
  for (const char* text : {"0 0x1 0x2", "0 0x1 0x2 3 4", "x 0x1 0x2 3", "0 1 0x2 3", "0 0x1 0x0 3", "0 0x1 0x2 65536",
                           "-1 0x1 0x2 3", "# mode tree", "# lmc 9", "# phases many", "# epoch -1"})
    EXPECT_THAT(complaint(read_schedule_text(text, "s.txt")), HasSubstr("s.txt:1:")) << text;
  EXPECT_THAT(complaint(read_schedule_text("0 0x1 0x2 3\n0 0x1 0x3 4", "s.txt")), HasSubstr("s.txt:2: 0x"));
  EXPECT_THAT(complaint(read_schedule_text("# phases 1\n1 0x1 0x2 3", "s.txt")), HasSubstr("s.txt:2: phase 1"));
}

TEST(ScheduleFile, ReadsBackWhatItWrote) {
  const std::string file = write_schedule_file(small_schedule());
  EXPECT_EQ(file.size(), 64 + 3 * 8 + 6 * 4U);
  const auto again = read_schedule(file, "s.esp");
  ASSERT_TRUE(again) << complaint(again);
  EXPECT_EQ(*again, small_schedule());
}

TEST(ScheduleFile, HasItsFieldsWhereTheLayoutSays) {
  const std::string file = write_schedule_file(small_schedule());
  EXPECT_EQ(file.substr(0, 8), "ESPSCHED");
  EXPECT_EQ(file[16], 7);
  EXPECT_EQ(file[40], 2);
  EXPECT_EQ(file[48], 3);
  EXPECT_EQ(file[52], 1);
  EXPECT_EQ(file[64], 0x11);
  // Server 1, phase 0: destination 0, LID 4; phase 1: rests.
  EXPECT_EQ(file.substr(64 + 24 + 8, 8), std::string("\x00\x00\x04\x00\xFF\xFF\x00\x00", 8));
}

TEST(ScheduleFile, SeesEveryChangedByte) {
  const std::string file = write_schedule_file(small_schedule());
  for (std::size_t at = 0; at < file.size(); ++at) {
    std::string bad = file;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_FALSE(read_schedule_file(bad, "s.esp")) << at;
  }
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(read_schedule_file(file.substr(0, size), "s.esp")) << size;
  EXPECT_THAT(complaint(read_schedule_file(file + '\0', "s.esp")), HasSubstr("s.esp: not a complete schedule file"));
}

class ScheduleDirectory : public test::OwnDirectory {
 protected:
  [[nodiscard]] Schedule current() const {
    const std::string file = (path_ / "current").string();
    return read_schedule_file(read_file(file).value(), file).value();
  }
};

TEST_F(ScheduleDirectory, CountsEpochsAndPointsToTheLast) {
  Schedule schedule = small_schedule();
  EXPECT_EQ(publish_schedule(path_.string(), schedule).value(), 1U);
  EXPECT_EQ(current().epoch, 1U);
  schedule.lmc = 3;
  EXPECT_EQ(publish_schedule(path_.string(), schedule).value(), 2U);
  EXPECT_EQ(current().lmc, 3);
  EXPECT_EQ(fs::read_symlink(path_ / "current"), "epoch-000000000002.esp");
}

TEST_F(ScheduleDirectory, KeepsTheEpochWhileNothingChanges) {
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 1U);
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 1U);
}

TEST_F(ScheduleDirectory, ForgetsEpochsOfLongAgo) {
  Schedule schedule = small_schedule();
  for (std::uint32_t i = 0; i < 20; ++i) {
    schedule.bound = i;
    ASSERT_TRUE(publish_schedule(path_.string(), schedule));
  }
  EXPECT_FALSE(fs::exists(path_ / epoch_file_name(4)));
  EXPECT_TRUE(fs::exists(path_ / epoch_file_name(5)));
  EXPECT_EQ(current().bound, 19U);
}

TEST_F(ScheduleDirectory, GoesOnAfterADamagedFile) {
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 1U);
  std::ofstream(path_ / epoch_file_name(1)) << "half";
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 2U);
}

TEST_F(ScheduleDirectory, SaysWhereItCannotWrite) {
  std::ofstream(path_) << "a file";
  const auto epoch = publish_schedule((path_ / "below").string(), small_schedule());
  ASSERT_FALSE(epoch);
  EXPECT_THAT(epoch.error().text(), HasSubstr("schedule_directory"));
}

// ---- what somebody else may have put there ----

TEST_F(ScheduleDirectory, DoesNotFollowALinkInTheNextEpochsPlace) {
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 1U);
  const fs::path precious = path_.string() + ".precious";
  std::ofstream(precious) << "precious";
  fs::create_symlink(precious, path_ / epoch_file_name(2));
  Schedule schedule = small_schedule();
  schedule.lmc = 3;
  EXPECT_EQ(publish_schedule(path_.string(), schedule).value(), 3U);
  EXPECT_EQ(read_file(precious.string()).value(), "precious");
  EXPECT_EQ(current().lmc, 3);
  fs::remove(precious);
}

TEST_F(ScheduleDirectory, GivesNoNumberTwice) {
  Schedule schedule = small_schedule();
  EXPECT_EQ(publish_schedule(path_.string(), schedule).value(), 1U);
  const std::string first = read_file((path_ / epoch_file_name(1)).string()).value();
  fs::remove(path_ / "current");
  schedule.lmc = 3;
  EXPECT_EQ(publish_schedule(path_.string(), schedule).value(), 2U);
  EXPECT_EQ(read_file((path_ / epoch_file_name(1)).string()).value(), first);
}

TEST_F(ScheduleDirectory, EndsWithTheLastNumber) {
  fs::create_directories(path_);
  std::ofstream(path_ / epoch_file_name(layout::kMaxEpoch)).close();
  const auto epoch = publish_schedule(path_.string(), small_schedule());
  ASSERT_FALSE(epoch);
  EXPECT_THAT(epoch.error().text(), HasSubstr("the highest number"));
  fs::remove(path_ / epoch_file_name(layout::kMaxEpoch));
  fs::create_symlink("epoch-18446744073709551615.esp", path_ / "current");
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 1U) << "not a name of ours";
}

TEST_F(ScheduleDirectory, IsNobodyElses) {
  fs::create_directories(path_ / "real");
  fs::create_directory_symlink("real", path_ / "link");
  EXPECT_FALSE(publish_schedule((path_ / "link").string(), small_schedule()));
  fs::permissions(path_ / "real", fs::perms::all);
  const auto epoch = publish_schedule((path_ / "real").string(), small_schedule());
  ASSERT_FALSE(epoch);
  EXPECT_THAT(epoch.error().text(), HasSubstr("other users can write here"));
  EXPECT_TRUE(fs::is_empty(path_ / "real"));
}

TEST_F(ScheduleDirectory, DoesNotWaitForAFifoUnderTheNameOfTheCurrentEpoch) {
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 1U);
  fs::remove(path_ / epoch_file_name(1));
  ASSERT_EQ(::mkfifo((path_ / epoch_file_name(1)).c_str(), 0600), 0);
  EXPECT_EQ(publish_schedule(path_.string(), small_schedule()).value(), 2U);
}

TEST(ScheduleText, RefusesATextThatWasCut) {
  const std::string whole = write_schedule_text(small_schedule());
  ASSERT_TRUE(read_schedule_text(whole, "s.txt"));
  // At the end of any line, the header's included.
  for (std::size_t end = whole.rfind('\n', whole.size() - 2); end != std::string::npos && end > 0;
       end = whole.rfind('\n', end - 1))
    EXPECT_FALSE(read_schedule_text(whole.substr(0, end + 1), "s.txt")) << whole.substr(0, end + 1);
  EXPECT_THAT(complaint(read_schedule_text("", "s.txt")), HasSubstr("s.txt: not a schedule: it contains no flow"));
}

}  // namespace
}  // namespace espalier
