// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/reference_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/repair/repair.h"
#include "tests/repair/routed.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;

void seal(std::string& file) {
  const std::uint64_t checksum = reference_checksum(file);
  for (std::size_t i = 0; i < 8; ++i) file[24 + i] = static_cast<char>(checksum >> (8 * i) & 0xFF);
}

TEST(ReferenceFile, reads_back_what_was_written) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) {
    const Reference reference = test::reference_by(fabric, "dmodc");
    const auto read = read_reference(write_reference(reference), "file");
    ASSERT_TRUE(read) << name << ": " << read.error().text();
    EXPECT_EQ(read->engine, "dmodc");
    EXPECT_TRUE(test::identical(read->fabric, fabric)) << name;
    EXPECT_EQ(read->tables, reference.tables) << name;
    EXPECT_EQ(read->level, reference.level) << name;
    EXPECT_EQ(read->position, reference.position) << name;
  }
}

TEST(ReferenceFile, keeps_the_order_of_hosts) {
  Reference reference = test::reference_by(test::two_level_tree(), "dmodc");
  for (const EndportId e : reference.fabric.endports()) reference.hosts.insert(reference.hosts.begin(), e);
  const std::string file = write_reference(reference);
  EXPECT_EQ(read_reference(file, "file").value().hosts, reference.hosts);
  std::string other = file;
  other[file.size() - reference.fabric.num_switches() * reference.tables.width() - 1] = '\x7F';  // of the last host
  seal(other);
  EXPECT_THAT(read_reference(other, "file").error().message, HasSubstr("is no end port"));
}

// Without the number of hosts, as files were until hosts were numbered.
TEST(ReferenceFile, reads_the_first_layout) {
  const Reference reference = test::reference_by(test::two_level_tree(), "dmodc");
  std::string file = write_reference(reference);
  file[8] = 1;
  file.erase(32 + 1 + reference.engine.size() + 16, 4);
  for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<char>(file.size() >> (8 * i) & 0xFF);
  seal(file);
  const auto read = read_reference(file, "file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->hosts.empty());
  EXPECT_EQ(read->tables, reference.tables);
}

TEST(ReferenceFile, refuses_what_is_none) {
  const std::string good = write_reference(test::reference_by(test::two_level_tree(), "dmodc"));
  const auto refusal = [](const std::string& file) {
    const auto read = read_reference(file, "state/reference");
    EXPECT_FALSE(read);
    if (read) return std::string();
    EXPECT_EQ(read.error().file, "state/reference");
    return read.error().message;
  };
  EXPECT_THAT(refusal(""), HasSubstr("first bytes"));
  EXPECT_THAT(refusal("not a reference at all, but long enough for a header"), HasSubstr("first bytes"));
  std::string other_version = good;
  other_version[8] = 9;
  EXPECT_THAT(refusal(other_version), HasSubstr("version 9"));
  EXPECT_THAT(refusal(good.substr(0, good.size() - 1)), HasSubstr("size"));
  EXPECT_THAT(refusal(good + "x"), HasSubstr("size"));
  std::string flipped = good;
  flipped[good.size() / 2] ^= 1;
  EXPECT_THAT(refusal(flipped), HasSubstr("checksum"));
}

TEST(ReferenceFile, refuses_counts_that_promise_more_than_there_is) {
  const std::string good = write_reference(test::reference_by(test::two_level_tree(), "dmodc"));
  for (std::size_t at = 32 + 1 + 5; at < 32 + 1 + 5 + 16; at += 4) {
    std::string file = good;
    file[at + 3] = '\x7F';
    seal(file);
    EXPECT_FALSE(read_reference(file, "file")) << at;
  }
}

TEST(ReferenceFile, survives_any_byte_behind_a_good_checksum) {
  const std::string good = write_reference(test::reference_by(test::aggregation_nodes(), "dmodc"));
  std::mt19937 random(1001);
  for (int i = 0; i < 3000; ++i) {
    std::string file = good;
    for (int k = 0; k < 3; ++k) file[32 + random() % (file.size() - 32)] = static_cast<char>(random());
    seal(file);
    if (const auto read = read_reference(file, "file")) {
      // Whatever is read is a reference, and can be repaired for a fabric that it has never seen.
      const PreparedReference reference(*read);
      const Fabric now = test::aggregation_nodes();
      const auto repaired = repair(reference, now);
      EXPECT_TRUE(!repaired || repaired->tables.num_switches() == now.num_switches());
    } else {
      EXPECT_FALSE(read.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace espalier
