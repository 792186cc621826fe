// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/lid_choices_file.h"

#include <fmt/format.h>

#include <iterator>

#include "core/base/try.h"
#include "core/fabric/endport_index.h"
#include "core/io/scanner.h"
#include "core/schedule/client/lid_choices_text.h"

namespace espalier {
namespace {

// Lines become choices of the end ports of a fabric; GUIDs that it lacks are skipped.
class ChoicesOfFabric final : public LidChoicesSink {
 public:
  explicit ChoicesOfFabric(const Fabric& fabric)
      : ports_(fabric), num_endports_(fabric.num_endports()), choices_(num_endports_) {}

  void set_classes(std::uint32_t sources, std::uint32_t destinations) override {
    choices_ = LidChoices(num_endports_, sources, destinations);
  }
  void add_list(const WeightedOffsets& list) override { lists_.push_back(number_of(list)); }
  void set_source_class(std::uint64_t guid, std::uint32_t c) override {
    if (const EndportId e = ports_.find(Guid{guid}); e != kNoEndport) choices_.set_source_class(e, c);
  }
  void set_destination_class(std::uint64_t guid, std::uint32_t c) override {
    if (const EndportId e = ports_.find(Guid{guid}); e != kNoEndport) choices_.set_destination_class(e, c);
  }
  void use(std::uint32_t source_class, std::uint32_t destination_class, std::uint32_t list) override {
    choices_.use(source_class, destination_class, lists_[list]);
  }
  void use_between(std::uint64_t source, std::uint64_t destination, const WeightedOffsets& list) override {
    const EndportId from = ports_.find(Guid{source});
    const EndportId to = ports_.find(Guid{destination});
    if (from != kNoEndport && to != kNoEndport) choices_.use_between(from, to, number_of(list));
  }

  LidChoices take() { return std::move(choices_); }

 private:
  std::uint32_t number_of(const WeightedOffsets& list) {
    LidChoiceList choices;
    for (const WeightedOffset& next : list) choices.push_back({next.offset, next.weight});
    return choices_.add_list(choices);
  }

  EndportIndex ports_;
  std::size_t num_endports_;
  LidChoices choices_;
  std::vector<std::uint32_t> lists_{0};  // number in the file -> that in choices_
};

std::string text_of(const LidChoiceList& list) {
  std::string text;
  for (const LidChoice& choice : list) text += fmt::format(" {}:{:.6g}", choice.offset, choice.weight);
  return text + '\n';
}

template <class ClassOf>
void write_members(std::string& text, const Fabric& fabric, std::string_view word, std::size_t count,
                   const ClassOf& class_of) {
  std::vector<std::string> members(count);
  for (const EndportId e : fabric.endports())
    if (class_of(e) != 0) members[class_of(e)] += fmt::format(" 0x{:016x}", index(fabric.at(e).port_guid));
  for (std::size_t c = 1; c < count; ++c)
    if (!members[c].empty()) text += fmt::format("{} {}:{}\n", word, c, members[c]);
}

}  // namespace

std::string write_lid_choices(const Fabric& fabric, const LidChoices& choices) {
  std::string text =
      fmt::format("# By what weights sources should use the LID offsets of destinations.\nchoices {} {}\n",
                  choices.num_sources(), choices.num_destinations());
  for (std::size_t i = 1; i < choices.lists().size(); ++i)
    text += fmt::format("list {}:", i) + text_of(choices.lists()[i]);
  write_members(text, fabric, "source", choices.num_sources(), [&](EndportId e) { return choices.source_class(e); });
  write_members(text, fabric, "destination", choices.num_destinations(),
                [&](EndportId e) { return choices.destination_class(e); });
  for (std::uint32_t s = 0; s < choices.num_sources(); ++s) {
    fmt::format_to(std::back_inserter(text), "use {}:", s);
    for (std::uint32_t d = 0, end = 0; d < choices.num_destinations(); d = end) {
      const std::uint32_t list = choices.of_classes(s, d);
      for (end = d + 1; end < choices.num_destinations() && choices.of_classes(s, end) == list;) ++end;
      fmt::format_to(std::back_inserter(text), " {}", list);
      if (end - d > 1) fmt::format_to(std::back_inserter(text), "*{}", end - d);
    }
    text += '\n';
  }
  for (const auto& [pair, list] : choices.pairs())
    text += fmt::format("0x{:016x} 0x{:016x}", index(fabric.at(pair.first).port_guid),
                        index(fabric.at(pair.second).port_guid)) +
            text_of(choices.lists()[list]);
  return text;
}

Result<LidChoices> read_lid_choices(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  ChoicesOfFabric choices(fabric);
  ESPALIER_TRY_STATUS(parse_lid_choices(text, file_name, choices));
  return choices.take();
}

bool has_lid_choices(std::string_view text) {
  io::Lines lines(text);
  while (const auto line = lines.next()) {
    const std::vector<std::string_view> words = io::words_of(io::without_comment(*line));
    if (words.empty()) continue;
    return words[0] == "choices" || (words.size() >= 3 && words[2].find(':') != std::string_view::npos);
  }
  return false;
}

}  // namespace espalier
