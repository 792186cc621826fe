// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/flow_file.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/lists/host_names.h"
#include "core/io/lists/quoted_names.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

using io::Scanner;

constexpr const char* kForm = "write source destination [weight], with names that contain blanks in double quotes";

struct Words {
  std::string source;
  std::string destination;
  std::string_view weight;  // empty: left out
};

// A word, or what stands in double quotes; empty at the end of the line.
Result<std::string_view> eat_name(Scanner& scan) {
  scan.skip_blanks();
  const std::string_view name = scan.rest().substr(0, io::find_unquoted(scan.rest(), io::kBlanks));
  (void)scan.eat(name);
  return io::without_quotes(name);
}

Result<Words> words_of(Scanner scan) {
  if (scan.rest().size() > FlowFile::kLongestLine)
    return fail(fmt::format("a line of {} characters", scan.rest().size()), kForm);
  ESPALIER_TRY(const std::string_view source, eat_name(scan));
  ESPALIER_TRY(const std::string_view destination, eat_name(scan));
  if (destination.empty()) return fail("a flow needs a source and a destination", kForm);
  scan.skip_blanks();
  const std::string_view weight = scan.at('#') ? std::string_view{} : scan.eat_word();
  scan.skip_blanks();
  if (!scan.done() && !scan.at('#')) return fail(fmt::format("unexpected \"{}\"", scan.rest()), kForm);
  return Words{std::string(source), std::string(destination), weight};
}

// A description has 64 bytes; what is longer is no name of a host, and may be a file that holds no text.
std::string shortened(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  return name.size() <= kLongest ? std::string(name) : std::string(name.substr(0, kLongest)) + "...";
}

std::string there_is_no(const std::string& name) {
  if (name.starts_with("0x") || name.starts_with("0X")) return fmt::format("no host has GUID {}", shortened(name));
  if (parse_number<std::uint32_t>(name)) return fmt::format("no host has LID {}", name);
  return fmt::format("there is no host named \"{}\"", shortened(name));
}

class FlowReader {
 public:
  FlowReader(const std::string& file, const Fabric& fabric, FlowRules rules)
      : file_(file), fabric_(fabric), rules_(rules), names_(fabric) {}

  // False: no more lines are wanted.
  bool read(std::string_view text, int line) {
    Scanner scan(text);
    scan.skip_blanks();
    if (scan.done() || scan.at('#')) return true;
    if (result_.flows.size() == FlowFile::kMostFlows) {
      result_.complain(file_, line, fmt::format("more than {} flows", FlowFile::kMostFlows), "remove the lightest");
      return false;
    }
    const Result<Words> words = words_of(scan);
    const Status added = words ? add(*words, line) : tl::unexpected(words.error());
    if (!added) result_.complain(file_, line, added.error().message, added.error().advice);
    return true;
  }
  [[nodiscard]] FlowFile take() { return std::move(result_); }

 private:
  // Of one host.
  Result<EndportId> find(const std::string& name) const {
    const std::vector<EndportId> found = names_.find(name);
    if (found.size() == 1) return found.front();
    if (std::string why = names_.why_not(name, found); !why.empty())
      return fail(std::move(why), "give a port GUID, a LID or a host name");
    if (!found.empty())
      return fail(fmt::format("\"{}\" has {}", name, counted(found.size(), "port")), "give the GUID of one");
    return fail(there_is_no(name), "give a port GUID, a LID or a host name");
  }

  Status add(const Words& words, int line) {
    const Result<EndportId> source = find(words.source), destination = find(words.destination);
    if (!source && !destination)
      return fail(fmt::format("{}, and {}", source.error().message, destination.error().message),
                  source.error().advice);
    if (!source) return tl::unexpected(source.error());
    if (!destination) return tl::unexpected(destination.error());
    const auto weight =
        words.weight.empty() ? std::optional(1.0) : parse_number(words.weight, 0.0, FlowFile::kMostWeight);
    if (!weight || (*weight > 0 && *weight < FlowFile::kLeastWeight))
      return fail(fmt::format("\"{}\" is no weight", words.weight),
                  fmt::format("write a number from {} to {}", FlowFile::kLeastWeight, FlowFile::kMostWeight));
    if (rules_ == FlowRules::kKnown) {
      if (*source == *destination)
        return fail(fmt::format("{} sends to itself", fabric_.label(*source)), "remove the line");
      if (*weight == 0) return fail("a flow of weight 0 carries no traffic", "remove the line");
      const std::uint64_t key = std::uint64_t{index(*source)} << 32 | index(*destination);
      if (const auto [first, is_new] = lines_.emplace(key, line); !is_new)
        return fail(fmt::format("this flow is already in line {}", first->second),
                    "combine both lines and add the weights");
    }
    result_.flows.push_back({*source, *destination, *weight});
    result_.lines.push_back(line);
    return {};
  }

  const std::string& file_;
  const Fabric& fabric_;
  FlowRules rules_;
  HostNames names_;
  FlowFile result_;
  std::unordered_map<std::uint64_t, int> lines_;  // by flow
};

}  // namespace

void FlowFile::complain(const std::string& file, int line, std::string message, std::string advice) {
  if (num_complaints++ < kMostComplaints) complaints.push_back({std::move(message), file, line, std::move(advice)});
}

FlowFile read_flow_file(std::string_view text, const std::string& file_name, const Fabric& fabric, FlowRules rules) {
  FlowReader reader(file_name, fabric, rules);
  io::Lines lines(text);
  while (const auto line = lines.next())
    if (!reader.read(*line, lines.number())) break;
  return reader.take();
}

}  // namespace espalier
