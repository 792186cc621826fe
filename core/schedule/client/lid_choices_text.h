// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The lines of a file of LID choices (format: core/io/lists/lid_choices_file.h), for the command, which knows the fabric,
// and for the library that applications link, which knows nothing but the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace espalier {

struct WeightedOffset {
  std::uint8_t offset = 0;  // up to 127
  double weight = 1;        // above 0
};
using WeightedOffsets = std::vector<WeightedOffset>;  // each offset once; at least one

// Takes what the lines say, in their order. Numbers of classes and lists are in range by then. GUIDs are of ports, in
// host byte order; whether anything has them is not known.
class LidChoicesSink {
 public:
  virtual ~LidChoicesSink() = default;
  LidChoicesSink() = default;
  LidChoicesSink(const LidChoicesSink&) = delete;
  LidChoicesSink& operator=(const LidChoicesSink&) = delete;

  // Before all others, once, if at all; without it there is one class of each. All begin with list 0.
  virtual void set_classes(std::uint32_t sources, std::uint32_t destinations) = 0;
  // Lists are numbered from 1 as they come; 0 is offset 0 alone.
  virtual void add_list(const WeightedOffsets& list) = 0;
  virtual void set_source_class(std::uint64_t guid, std::uint32_t c) = 0;
  virtual void set_destination_class(std::uint64_t guid, std::uint32_t c) = 0;
  virtual void use(std::uint32_t source_class, std::uint32_t destination_class, std::uint32_t list) = 0;
  // Goes before the classes, whatever the order.
  virtual void use_between(std::uint64_t source, std::uint64_t destination, const WeightedOffsets& list) = 0;
};

// Errors, with file and line: anything but the format; numbers out of range; a weight that is not above 0. What stood
// before has gone to the sink.
[[nodiscard]] Status parse_lid_choices(std::string_view text, const std::string& file_name, LidChoicesSink& sink);

}  // namespace espalier
