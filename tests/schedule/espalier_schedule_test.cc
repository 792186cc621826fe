// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/client/espalier_schedule.h"

#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>

#include "core/io/file.h"
#include "core/io/schedule/schedule_directory.h"
#include "core/schedule/client/schedule_layout.h"
#include "tests/schedule/follow_schedule.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

namespace fs = std::filesystem;

struct Closer {
  void operator()(espalier_schedule* s) const { espalier_schedule_close(s); }
};
using Mapped = std::unique_ptr<espalier_schedule, Closer>;

Schedule three_servers() {
  Schedule schedule;
  schedule.mode = ScheduleMode::kBlock;
  schedule.lmc = 2;
  schedule.phases = 2;
  schedule.bound = 1;
  schedule.servers = {Guid{0x11}, Guid{0x22}, Guid{0xFFFF000000000033}};
  schedule.sends = {{1, Lid{8}}, {2, Lid{13}}, {0, Lid{4}}, {}, {}, {1, Lid{0xBFFF}}};
  return schedule;
}

class EspalierSchedule : public test::OwnDirectory {
 protected:
  void publish(std::uint32_t bound) {
    Schedule schedule = three_servers();
    schedule.bound = bound;
    ASSERT_TRUE(publish_schedule(path_.string(), schedule));
  }
  [[nodiscard]] espalier_status open(std::uint64_t epoch, Mapped& mapped) const {
    espalier_schedule* schedule = nullptr;
    const espalier_status status = espalier_schedule_open(path_.c_str(), epoch, &schedule);
    mapped.reset(schedule);
    return status;
  }
  [[nodiscard]] std::string in_c(std::uint64_t guid) const {
    std::array<char, 200> text{};
    const int status = follow_schedule(path_.c_str(), guid, text.data(), text.size());
    return status == 0 ? text.data() : std::to_string(status);
  }
  void replace_epoch(const std::string& content) const {
    std::ofstream(path_ / epoch_file_name(1), std::ios::binary | std::ios::trunc) << content;
  }
};

TEST_F(EspalierSchedule, ShowsWhatWasPublished) {
  publish(1);
  Mapped s;
  ASSERT_EQ(open(0, s), ESPALIER_OK);
  EXPECT_EQ(espalier_schedule_epoch(s.get()), 1U);
  EXPECT_EQ(espalier_schedule_phases(s.get()), 2U);
  EXPECT_EQ(espalier_schedule_bound(s.get()), 1U);
  EXPECT_EQ(espalier_schedule_servers(s.get()), 3U);
  EXPECT_EQ(espalier_schedule_lmc(s.get()), 2U);
  EXPECT_EQ(espalier_schedule_guid(s.get(), 2), 0xFFFF000000000033);
  EXPECT_EQ(espalier_schedule_guid(s.get(), 3), 0U);
  for (std::uint32_t i = 0; i < 3; ++i)
    EXPECT_EQ(espalier_schedule_find(s.get(), espalier_schedule_guid(s.get(), i)), i);
  for (const std::uint64_t stranger : {0x0ULL, 0x10ULL, 0x12ULL, 0xFFFFFFFFFFFFFFFFULL})
    EXPECT_EQ(espalier_schedule_find(s.get(), stranger), 3U) << stranger;
  EXPECT_EQ(espalier_schedule_sends(s.get(), 3), nullptr);
}

TEST_F(EspalierSchedule, GivesACProgramItsSendsAndSources) {
  publish(1);
  EXPECT_EQ(in_c(0x11), "epoch 1: >1/8<1 >2/13");
  EXPECT_EQ(in_c(0x22), "epoch 1: >0/4<0 -<2");
  EXPECT_EQ(in_c(0xFFFF000000000033), "epoch 1: - >1/49151<0");
  EXPECT_EQ(in_c(0x44), "100");
}

TEST_F(EspalierSchedule, TellsOfNewEpochsWhileTheOldOneStaysUsable) {
  std::uint64_t epoch = 9;
  EXPECT_EQ(espalier_schedule_newest(path_.c_str(), &epoch), ESPALIER_NO_EPOCH);
  EXPECT_EQ(epoch, 0U);
  publish(1);
  Mapped first;
  ASSERT_EQ(open(0, first), ESPALIER_OK);
  for (std::uint32_t bound = 2; bound < 20; ++bound) publish(bound);
  EXPECT_EQ(espalier_schedule_newest(path_.c_str(), &epoch), ESPALIER_OK);
  EXPECT_EQ(epoch, 19U);
  Mapped other;
  EXPECT_EQ(open(2, other), ESPALIER_NO_FILE);  // forgotten by now
  EXPECT_EQ(other, nullptr);
  ASSERT_EQ(open(10, other), ESPALIER_OK);
  EXPECT_EQ(espalier_schedule_bound(other.get()), 10U);
  EXPECT_EQ(espalier_schedule_bound(first.get()), 1U);
  EXPECT_EQ(espalier_schedule_sends(first.get(), 0)[1].dlid, 13U);
}

TEST_F(EspalierSchedule, RefusesDamagedFiles) {
  publish(1);
  const std::string good = read_file((path_ / epoch_file_name(1)).string()).value();
  Mapped s;
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    replace_epoch(bad);
    EXPECT_EQ(open(1, s), ESPALIER_DAMAGED) << at;
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    replace_epoch(good.substr(0, size));
    EXPECT_EQ(open(0, s), ESPALIER_DAMAGED) << size;
  }
  replace_epoch(good);
  EXPECT_EQ(open(1, s), ESPALIER_OK);
}

// A file that carries a right checksum and lies elsewhere: refused, or harmless to read from end to end.
TEST_F(EspalierSchedule, ReadsNothingBeyondAForgedFile) {
  publish(1);
  const std::string good = read_file((path_ / epoch_file_name(1)).string()).value();
  std::size_t opened = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const int value : {0x00, 0x01, 0x04, 0x7F, 0xFF}) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      const std::uint64_t sum = layout::checksum(bad);
      for (std::size_t i = 0; i < 8; ++i) bad[layout::kChecksumAt + i] = static_cast<char>(sum >> (8 * i) & 0xFF);
      replace_epoch(bad);
      Mapped s;
      if (open(1, s) != ESPALIER_OK) continue;
      ++opened;
      EXPECT_EQ(espalier_schedule_servers(s.get()), 3U);
      for (std::uint32_t server = 0; server < 3; ++server) {
        const espalier_send* const send = espalier_schedule_sends(s.get(), server);
        for (std::uint32_t p = 0; p < espalier_schedule_phases(s.get()); ++p)
          EXPECT_TRUE(send[p].peer < 3 || send[p].peer == ESPALIER_RESTS) << at;
      }
    }
  EXPECT_GT(opened, 100U);
}

TEST_F(EspalierSchedule, SaysWhatIsMissing) {
  Mapped s;
  EXPECT_EQ(open(0, s), ESPALIER_NO_EPOCH);
  EXPECT_EQ(open(1, s), ESPALIER_NO_FILE);
  fs::create_directories(path_ / epoch_file_name(1));
  EXPECT_EQ(open(1, s), ESPALIER_DAMAGED);
  fs::create_symlink("elsewhere", path_ / "current");
  EXPECT_EQ(open(0, s), ESPALIER_NO_EPOCH);
  espalier_schedule* none = nullptr;
  EXPECT_EQ(espalier_schedule_open(std::string(100'000, 'x').c_str(), 1, &none), ESPALIER_SYSTEM);
  espalier_schedule_close(none);
  for (int status = 0; status < 6; ++status)
    EXPECT_STRNE(espalier_schedule_message(static_cast<espalier_status>(status)), "") << status;
}

}  // namespace
}  // namespace espalier
