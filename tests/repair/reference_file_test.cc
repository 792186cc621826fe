// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/file/reference_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/analysis/soundness/verify.h"
#include "core/repair/repair.h"
#include "core/repair/repairable_reference.h"
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

void set_size(std::string& file) {
  for (std::size_t i = 0; i < 8; ++i) file[16 + i] = static_cast<char>(file.size() >> (8 * i) & 0xFF);
}

std::string refusal(const std::string& file) {
  const auto read = read_reference(file, "state/reference");
  EXPECT_FALSE(read);
  if (read) return {};
  EXPECT_EQ(read.error().file, "state/reference");
  return read.error().message;
}

// Every pair of LIDs, and every pair of ports with each SL.
void expect_same_lanes(const Fabric& fabric, const Lanes& read, const Lanes& written) {
  for (std::size_t a = 0; a <= index(fabric.top_lid()); ++a)
    for (std::size_t b = 0; b <= index(fabric.top_lid()); ++b)
      ASSERT_EQ(read.sl(id_at<Lid>(a), id_at<Lid>(b)), written.sl(id_at<Lid>(a), id_at<Lid>(b))) << a << " to " << b;
  for (const SwitchId s : fabric.switches())
    for (std::size_t in = 0; in <= fabric.at(s).num_ports; ++in)
      for (std::size_t out = 0; out <= fabric.at(s).num_ports; ++out)
        ASSERT_EQ(read.maps().vls(s, id_at<PortNum>(in), id_at<PortNum>(out)),
                  written.maps().vls(s, id_at<PortNum>(in), id_at<PortNum>(out)))
            << index(s) << " from " << in << " to " << out;
  EXPECT_EQ(read.num_vls(), written.num_vls());
  EXPECT_EQ(read.num_sls(), written.num_sls());
  EXPECT_EQ(read.levels().num_sources(), written.levels().num_sources());
  EXPECT_EQ(read.levels().num_destinations(), written.levels().num_destinations());
  EXPECT_EQ(read.maps().num_maps(), written.maps().num_maps());
}

// Three classes of sources, one of destinations; a map of one class of ports, which switch 1 uses, and one of two.
Lanes small_lanes(const Fabric& fabric) {
  ServiceLevels levels(fabric.top_lid(), 3, 1);
  for (std::size_t i = 0; i <= index(fabric.top_lid()); ++i)
    levels.set_source_class(id_at<Lid>(i), static_cast<std::uint32_t>(i % 3));
  levels.set(1, 0, 15);
  levels.set(2, 0, 3);
  LaneMaps maps(fabric);
  maps.entry(maps.add_map(1), 0, 0).fill(kDiscardVl);
  const std::size_t second = maps.add_map(2);
  maps.entry(second, 0, 1)[15] = 1;
  maps.entry(second, 1, 0)[3] = 14;
  for (const SwitchId s : fabric.switches()) {
    if (index(s) == 1) continue;
    maps.use_map(s, second);
    maps.set_port_class(s, PortNum{1}, 1);
  }
  return Lanes(std::move(levels), std::move(maps));
}

Reference small_reference() {
  Reference reference = test::reference_by(test::two_level_tree(), "dmodc");
  reference.lanes = small_lanes(reference.fabric);
  return reference;
}

// Where the lanes of small_reference() begin in its file: what it has more than without.
std::size_t lanes_at() {
  Reference reference = small_reference();
  reference.lanes.reset();
  return write_reference(reference).size();
}

std::string with_byte(std::string file, std::size_t at, int value) {
  file.at(at) = static_cast<char>(value);
  seal(file);
  return file;
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
    EXPECT_FALSE(read->lanes) << name;
  }
}

TEST(ReferenceFile, keeps_lanes) {
  const Fabric dragonfly = test::generated("dragonfly", "2,4,2,9", 2);
  for (const char* engine : {"layers", "dragonfly", "dragonfly-rlm"}) {
    const Reference reference = test::reference_by(dragonfly, engine);
    ASSERT_TRUE(reference.lanes) << engine;
    EXPECT_GT(reference.lanes->num_vls(), 1U) << engine;
    const std::string file = write_reference(reference);
    const auto read = read_reference(file, "file");
    ASSERT_TRUE(read) << engine << ": " << read.error().text();
    ASSERT_TRUE(read->lanes) << engine;
    expect_same_lanes(dragonfly, *read->lanes, *reference.lanes);
    EXPECT_EQ(read->tables, reference.tables) << engine;
    EXPECT_TRUE(verify(read->fabric, read->tables, read->lanes).ok()) << engine;
    EXPECT_EQ(write_reference(*read), file) << engine;
  }
}

TEST(ReferenceFile, keeps_lanes_of_any_make) {
  Reference reference = small_reference();
  const auto some = read_reference(write_reference(reference), "file");
  ASSERT_TRUE(some) << some.error().text();
  expect_same_lanes(reference.fabric, *some->lanes, *reference.lanes);
  reference.lanes = one_lane(reference.fabric);
  const auto one = read_reference(write_reference(reference), "file");
  ASSERT_TRUE(one) << one.error().text();
  expect_same_lanes(reference.fabric, *one->lanes, *reference.lanes);
}

// Programs from before lanes read it.
TEST(ReferenceFile, has_the_second_layout_without_lanes) {
  Reference reference = small_reference();
  const std::string with = write_reference(reference);
  reference.lanes.reset();
  const std::string without = write_reference(reference);
  EXPECT_EQ(with[8], 3);
  EXPECT_EQ(without[8], 2);
  EXPECT_EQ(with.substr(32, without.size() - 32), without.substr(32));
  std::string second = with;
  second[8] = 2;
  EXPECT_THAT(refusal(second), HasSubstr("its tables are incomplete"));
  std::string third = without;
  third[8] = 3;
  EXPECT_THAT(refusal(third), HasSubstr("its service levels have no classes"));
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
  set_size(file);
  seal(file);
  const auto read = read_reference(file, "file");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->hosts.empty());
  EXPECT_EQ(read->tables, reference.tables);
}

TEST(ReferenceFile, refuses_what_is_none) {
  const std::string good = write_reference(test::reference_by(test::two_level_tree(), "dmodc"));
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

TEST(ReferenceFile, refuses_lanes_that_are_none) {
  const std::string good = write_reference(small_reference());
  const std::size_t lids = small_reference().tables.width();
  const std::size_t levels = lanes_at();
  const std::size_t sls = levels + 8 + 8 * lids;
  const std::size_t maps = sls + 2;              // three SLs
  const std::size_t second = maps + 4 + 10;      // behind a map of one class
  const std::size_t switches = second + 2 + 32;  // behind one of two
  const auto refusal_with = [&](std::size_t at, int value) { return refusal(with_byte(good, at, value)); };
  EXPECT_THAT(refusal_with(levels, 0), HasSubstr("its service levels have no classes"));
  EXPECT_THAT(refusal_with(levels + 4, 0), HasSubstr("its service levels have no classes"));
  for (const std::size_t at : {levels + 3, levels + 7}) {
    EXPECT_THAT(refusal_with(at, 0x7F), HasSubstr("its classes of service levels exceed its size"));
    EXPECT_THAT(refusal_with(at, 0xFF), HasSubstr("its classes of service levels exceed its size"));
  }
  std::string most = good;
  for (std::size_t i = 0; i < 8; ++i) most[levels + i] = '\xFF';
  seal(most);
  EXPECT_THAT(refusal(most), HasSubstr("its classes of service levels exceed its size"));
  EXPECT_THAT(refusal_with(levels + 8 + 8 * 2, 3), HasSubstr("its LID 2 has no such class"));
  EXPECT_THAT(refusal_with(levels + 8 + 8 * 2 + 4, 1), HasSubstr("its LID 2 has no such class"));
  EXPECT_THAT(refusal_with(sls + 1, 0x13), HasSubstr("its service levels do not end where they should"));
  EXPECT_THAT(refusal_with(maps, 0), HasSubstr("it has no lane maps"));
  EXPECT_THAT(refusal_with(maps + 3, 0x7F), HasSubstr("lane map"));
  EXPECT_THAT(refusal_with(maps + 4, 0), HasSubstr("its lane map 0 is invalid"));
  EXPECT_THAT(refusal_with(second + 1, 1), HasSubstr("its lane map 1 is invalid")) << "258 classes";
  EXPECT_THAT(refusal_with(second, 0x7F), HasSubstr("its lane map 1 exceeds its size"));
  EXPECT_THAT(refusal_with(switches, 2), HasSubstr("its switch 0 has no such lane map"));
  EXPECT_THAT(refusal_with(switches + 3, 0xFF), HasSubstr("its switch 0 has no such lane map"));
  EXPECT_THAT(refusal_with(switches, 0), HasSubstr("port 1 of its switch 0 has no such class"));
  EXPECT_THAT(refusal_with(switches + 4 + 1, 2), HasSubstr("port 1 of its switch 0 has no such class"));
  std::string more = good + '\0';
  set_size(more);
  seal(more);
  EXPECT_THAT(refusal(more), HasSubstr("something follows its lanes"));
}

TEST(ReferenceFile, refuses_a_part_of_itself) {
  const std::string good = write_reference(small_reference());
  for (std::size_t size = 0; size < good.size(); ++size) {
    std::string file = good.substr(0, size);
    if (size >= 32) set_size(file);
    if (size >= 32) seal(file);
    EXPECT_FALSE(read_reference(file, "file")) << size;
  }
}

TEST(ReferenceFile, survives_any_byte_in_its_lanes) {
  const std::string good = write_reference(small_reference());
  const std::size_t begin = lanes_at();
  std::mt19937 random(1002);
  for (int i = 0; i < 3000; ++i) {
    std::string file = good;
    for (int k = 0; k < 2; ++k) file[begin + random() % (file.size() - begin)] = static_cast<char>(random());
    seal(file);
    const auto read = read_reference(file, "file");
    if (!read) {
      EXPECT_FALSE(read.error().message.empty());
      continue;
    }
    EXPECT_EQ(write_reference(*read), file);
    EXPECT_LE(read->lanes->num_vls(), 15U);
    const auto reference = prepare(*read);
    const Fabric now = test::two_level_tree();
    const auto repaired = reference->patch(now, {});
    EXPECT_TRUE(!repaired || repaired->tables.rows().num_switches() == now.num_switches());
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
      const auto repaired = patch(reference, now);
      EXPECT_TRUE(!repaired || repaired->tables.rows().num_switches() == now.num_switches());
    } else {
      EXPECT_FALSE(read.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace espalier
