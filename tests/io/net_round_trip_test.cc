// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What write_net writes, read_net reads back; on drawn and generated fabrics, on the files in tests/fabrics, and on
// real ones where they are at hand (ESPALIER_FABRICS).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/fabric/faults.h"
#include "core/io/file.h"
#include "core/io/net/net_reader.h"
#include "core/io/net/net_writer.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"
#include "tests/support/same_fabric.h"

namespace espalier {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// The fabric after a trip through the text.
Fabric read_back(const Fabric& fabric, PortGuids port_guids = PortGuids::kNodePlusPort) {
  Result<ParsedNet> net = read_net(write_net(fabric), "written.net", port_guids);
  if (!net) throw std::runtime_error(net.error().text());
  return std::move(net->builder).build().value();
}

TEST(NetRoundTrip, DrawnFabricsComeBack) {
  for (const char* const drawing : {"L0:2 L0-S0 L0-S0 L1-S0 L1:1", "L0=L1 L0-L1 L0:router", "L0:an L0:1", "-:1"}) {
    const Fabric fabric = test::draw(drawing);
    EXPECT_EQ(difference(fabric, read_back(fabric, PortGuids::kAsWritten)), "") << drawing;
  }
}

TEST(NetRoundTrip, LmcAndUncabledPortsComeBack) {
  const Fabric fabric = test::draw("L0:3 L0-S0 -:2", 3);
  EXPECT_EQ(difference(fabric, read_back(fabric, PortGuids::kAsWritten)), "");
  EXPECT_THAT(write_net(fabric), HasSubstr("\" uncabled [1]("));
}

TEST(NetRoundTrip, GeneratedAndDamagedTreesComeBack) {
  const Fabric tree = test::pgft("3;4,3,2;1,2,3;1,2,1");
  EXPECT_EQ(difference(tree, read_back(tree)), "");
  const Fabric damaged = degrade(tree, {.links = 5, .switches = 1, .endports = 2}).value();
  EXPECT_EQ(difference(damaged, read_back(damaged)), "");
}

TEST(NetRoundTrip, EqualFabricsAreEqualTexts) {
  const Fabric fabric = test::draw("L0:2 L0-S0 L1-S0 L1:1");
  EXPECT_EQ(write_net(fabric), write_net(read_back(fabric, PortGuids::kAsWritten)));
}

TEST(NetRoundTrip, NoLineIsTooLongForIbsim) {
  FabricBuilder builder;
  Switch s;
  s.guid = Guid{0xffffffffffffffff};
  s.num_ports = 254;
  s.description = std::string(300, 'x');
  s.lid = Lid{0xbfff};
  const auto here = builder.add_switch(s);
  Endport e;
  e.node_guid = e.port_guid = Guid{0xeeeeeeeeeeeeeeee};
  e.port = PortNum{254};
  e.description = s.description;
  e.lid = Lid{0xbffe};
  builder.connect(here, PortNum{254}, builder.add_endport(e), LinkRate{12, LinkSpeed::kFdr10});
  const std::string text = write_net(std::move(builder).build().value());
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  EXPECT_LE(longest, 254U);
}

// All .net files of tests/fabrics, and of the directory that ESPALIER_FABRICS names, if any.
std::vector<std::filesystem::path> net_files() {
  std::vector<std::filesystem::path> dirs{ESPALIER_TEST_FABRICS};
  if (const char* const given = std::getenv("ESPALIER_FABRICS")) dirs.emplace_back(given);
  std::vector<std::filesystem::path> files;
  for (const auto& dir : dirs)
    for (const auto& file : std::filesystem::directory_iterator(dir))
      if (file.path().extension() == ".net") files.push_back(file.path());
  return files;
}

TEST(NetRoundTrip, FabricFilesAreReadWithoutAWarningAndComeBack) {
  const auto files = net_files();
  EXPECT_FALSE(files.empty());
  for (const auto& file : files) {
    for (const PortGuids port_guids : {PortGuids::kNodePlusPort, PortGuids::kAsWritten}) {
      Result<ParsedNet> net = read_net(read_file(file).value(), file, port_guids);
      ASSERT_TRUE(net) << net.error().text();
      EXPECT_THAT(net->warnings.size(), 0U) << net->warnings[0].text();
      const Result<Fabric> fabric = std::move(net->builder).build();
      ASSERT_TRUE(fabric) << file << ": " << fabric.error().text();
      EXPECT_EQ(difference(*fabric, read_back(*fabric, port_guids)), "") << file;
    }
  }
}

}  // namespace
}  // namespace espalier
