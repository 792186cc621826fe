// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/client/espalier_choices.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "core/fabric/fabric_builder.h"
#include "core/io/lists/lid_choices_file.h"
#include "tests/support/drawing.h"
#include "tests/support/own_directory.h"

namespace espalier {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Closer {
  void operator()(espalier_choices* c) const { espalier_choices_close(c); }
};
using Opened = std::unique_ptr<espalier_choices, Closer>;

class EspalierChoices : public test::OwnDirectory {
 protected:
  // What open() says: the message, or "" when all went well.
  std::string open(const std::string& text, Opened& opened, espalier_status expected = ESPALIER_OK) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    return open_there(opened, expected);
  }
  std::string open_there(Opened& opened, espalier_status expected) const {
    espalier_choices* choices = nullptr;
    std::array<char, 300> message{};
    EXPECT_EQ(espalier_choices_open(path_.c_str(), &choices, message.data(), message.size()), expected);
    EXPECT_EQ(choices != nullptr, expected == ESPALIER_OK);
    opened.reset(choices);
    return message.data();
  }
};

std::string shares(const Opened& choices, std::uint64_t from, std::uint64_t to) {
  std::uint32_t count = 0;
  const espalier_share* const share = espalier_choices_shares(choices.get(), from, to, &count);
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) text += fmt::format("{}:{:.4g} ", share[i].offset, share[i].share);
  return text;
}

constexpr const char* kExample =
    "choices 2 3\n"
    "list 1: 0:1 2:3\n"
    "list 2: 1:5\n"
    "source 1: 0xA 0xFFFF00000000000B\n"
    "destination 2: 0xC 0xD\n"
    "use 1: 0*2 1\n"
    "use 0: 2 0 0\n"
    "0xA 0xD 3:1e308 2:1e308\n"
    "destination 1: 0xD\n";

TEST_F(EspalierChoices, GoByPairsBeforeClassesAndByClassZeroForStrangers) {
  Opened choices;
  EXPECT_EQ(open(kExample, choices), "");
  EXPECT_EQ(shares(choices, 0xA, 0xC), "0:0.25 2:0.75 ");
  EXPECT_EQ(shares(choices, 0xFFFF00000000000B, 0xC), "0:0.25 2:0.75 ");
  EXPECT_EQ(shares(choices, 0xA, 0xD), "3:0.5 2:0.5 ");
  EXPECT_EQ(shares(choices, 0xFFFF00000000000B, 0xD), "0:1 ");  // the last class of 0xD counts
  EXPECT_EQ(shares(choices, 0xE, 0xF), "1:1 ");
  EXPECT_EQ(shares(choices, 0xE, 0xC), "0:1 ");
  EXPECT_EQ(open("", choices), "");
  EXPECT_EQ(shares(choices, 0xA, 0xD), "0:1 ");
  EXPECT_EQ(espalier_choices_offset(choices.get(), 0xA, 0xD, 7), 0U);
}

// The command's reader is the reference, for all pairs of a fabric.
TEST_F(EspalierChoices, AreWhatTheCommandReads) {
  FabricBuilder builder(test::draw("L0:3 L1:3 L2:2 L0-S0 L1-S0 L2-S0"));
  ASSERT_TRUE(builder.assign_lids(3, FabricBuilder::Numbering::kRenumber).has_value());
  const Fabric fabric = std::move(builder).build().value();
  LidChoices made(fabric.num_endports(), 3, 3);
  for (std::uint32_t c = 0; c < 3; ++c)
    made.use(c, 2 - c, made.add_list({{static_cast<std::uint8_t>(c), 0.5}, {7, 1.0 + c}, {6, 0.3}}));
  for (const EndportId e : fabric.endports()) {
    made.set_source_class(e, static_cast<std::uint32_t>(index(e) % 3));
    made.set_destination_class(e, static_cast<std::uint32_t>(index(e) / 3));
  }
  made.use_between(EndportId{7}, EndportId{0}, made.add_list({{5, 2}}));
  const std::string text = write_lid_choices(fabric, made);
  const LidChoices expected = read_lid_choices(text, "f", fabric).value();
  Opened choices;
  ASSERT_EQ(open(text, choices), "");
  for (const EndportId from : fabric.endports())
    for (const EndportId to : fabric.endports()) {
      const auto paths = weighted_paths(fabric, expected, nullptr, from, to);
      std::string shown;
      for (const WeightedPath& path : paths)
        shown += fmt::format("{}:{:.4g} ", index(path.to) - index(fabric.at(to).lid), path.share);
      EXPECT_EQ(shares(choices, index(fabric.at(from).port_guid), index(fabric.at(to).port_guid)), shown);
    }
}

TEST_F(EspalierChoices, RefuseWhatTheCommandRefusesInTheSameWords) {
  const Fabric fabric = test::draw("L0:1");
  Opened choices;
  for (const char* bad : {"choices 2 2", "list 2: 0:1", "list 1: 0:1 0:2", "list 1: 128:1", "list 1: 0:0",
                          "list 1:", "list 1: 0:nan", "source 2: 0x1", "source 1: host", "use 2: 0 0", "use 0: 0*3",
                          "use 0: 1 0", "0x1 0:1", "0x1 0x2", "what 1: 2", "list", "\x1b[2J", "0x1 0x2 \xFF:1"}) {
    const std::string text = std::string("choices 2 2\n\n") + bad;
    const std::string message = open(text, choices, ESPALIER_DAMAGED);
    EXPECT_EQ(message, read_lid_choices(text, path_.string(), fabric).error().text().substr(0, 299));
    EXPECT_THAT(message, StartsWith(path_.string() + ":3: ")) << bad;
  }
  EXPECT_THAT(open("choices 49152 49152", choices, ESPALIER_DAMAGED), HasSubstr(":1: "));
  EXPECT_EQ(open("list 1: " + std::string(9999, 'x'), choices, ESPALIER_DAMAGED).size(), 299U);
}

// A byte of a good file replaced: refused, or every pair has an answer.
TEST_F(EspalierChoices, HaveAnAnswerForEveryPairOfAFileThatIsAccepted) {
  const std::string good = kExample;
  Opened choices;
  int accepted = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const char c : {'9', 'x', ' ', '\n', '\0'}) {
      std::string text = good;
      text[at] = c;
      std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
      espalier_choices* opened = nullptr;
      const espalier_status status = espalier_choices_open(path_.c_str(), &opened, nullptr, 0);
      choices.reset(opened);
      ASSERT_TRUE(status == ESPALIER_OK || status == ESPALIER_DAMAGED);
      if (status != ESPALIER_OK) continue;
      ++accepted;
      for (const std::uint64_t from : {0x0ULL, 0xAULL, 0xFFFF00000000000BULL, 0xFFFFFFFFFFFFFFFFULL})
        for (const std::uint64_t to : {0xCULL, 0xDULL, 0xEULL}) {
          std::uint32_t count = 0;
          const espalier_share* const share = espalier_choices_shares(choices.get(), from, to, &count);
          double sum = 0;
          for (std::uint32_t i = 0; i < count; ++i) sum += share[i].share;
          EXPECT_NEAR(sum, 1, 1e-12) << text;
          EXPECT_LE(espalier_choices_offset(choices.get(), from, to, at), 127U);
        }
    }
  EXPECT_GT(accepted, 100);
}

TEST_F(EspalierChoices, SayWhatIsMissing) {
  Opened choices;
  EXPECT_THAT(open_there(choices, ESPALIER_NO_FILE), HasSubstr("No such file"));
  EXPECT_EQ(errno, ENOENT);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);  // nobody writes: must not wait
  EXPECT_THAT(open_there(choices, ESPALIER_DAMAGED), HasSubstr("no regular file"));
  std::filesystem::remove(path_);
  std::ofstream(path_).close();
  std::filesystem::resize_file(path_, (std::uintmax_t{256} << 20) + 1);
  EXPECT_THAT(open_there(choices, ESPALIER_DAMAGED), HasSubstr("larger than 256 MiB"));
  espalier_choices* opened = nullptr;
  std::array<char, 5> little{'x', 'x', 'x', 'x', 'x'};
  EXPECT_EQ(espalier_choices_open("/nowhere", &opened, little.data(), little.size()), ESPALIER_NO_FILE);
  EXPECT_STREQ(little.data(), "/now");
}

// Any 2^m messages from a multiple of 2^m on: the share, rounded up or down.
TEST_F(EspalierChoices, GiveEachOffsetItsShareOfTheMessages) {
  Opened choices;
  ASSERT_EQ(open("0xA 0xB 0:1 1:4 2:4 3:4\n0xA 0xC 0:1 1:1 2:1 3:1\n0xB 0xA 9:0.001 8:0.999\n", choices), "");
  for (const auto& [from, to] : {std::pair(0xA, 0xB), std::pair(0xA, 0xC), std::pair(0xB, 0xA)}) {
    std::uint32_t count = 0;
    const espalier_share* const share = espalier_choices_shares(choices.get(), from, to, &count);
    for (std::uint64_t length = 1; length <= 4096; length *= 2)
      for (const std::uint64_t first : {std::uint64_t{0}, 5 * length, ~std::uint64_t{0} - length + 1}) {
        std::array<std::uint64_t, 128> taken{};
        for (std::uint64_t n = 0; n < length; ++n) ++taken[espalier_choices_offset(choices.get(), from, to, first + n)];
        for (std::uint32_t i = 0; i < count; ++i)
          EXPECT_LT(
              std::abs(static_cast<double>(taken[share[i].offset]) - share[i].share * static_cast<double>(length)), 1)
              << length << " from " << first;
      }
  }
}

TEST_F(EspalierChoices, BeginAtDifferentOffsetsForDifferentPairs) {
  Opened choices;
  ASSERT_EQ(open("choices 1 1\nlist 1: 0:1 1:1 2:1 3:1\nuse 0: 1\n", choices), "");
  std::array<int, 4> first{};
  for (std::uint64_t from = 0; from < 40; ++from)
    for (std::uint64_t to = 0; to < 25; ++to) ++first[espalier_choices_offset(choices.get(), from, to, 0)];
  for (const int pairs : first) EXPECT_NEAR(pairs, 250, 50);
}

TEST_F(EspalierChoices, MayBeReadByManyThreadsAtOnce) {
  Opened choices;
  ASSERT_EQ(open(kExample, choices), "");
  std::array<std::uint64_t, 4> sum{};
  std::vector<std::thread> threads;
  for (std::uint64_t& mine : sum)
    threads.emplace_back([&] {
      for (std::uint64_t n = 0; n < 10'000; ++n) mine += espalier_choices_offset(choices.get(), 0xA, n % 16, n);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t one : sum) EXPECT_EQ(one, sum[0]);
}

}  // namespace
}  // namespace espalier
