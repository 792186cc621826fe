// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_lid_choices accepts has a list with weights above 0 for each pair, and reads back the same.
#include <cmath>

#include "core/io/lists/lid_choices_file.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto choices = read_lid_choices(text, "fuzz.choices", fabric);
  if (!choices) {
    expect(choices.error().file == "fuzz.choices" && choices.error().line > 0, "an error without file or line");
    return 0;
  }
  const auto again = read_lid_choices(write_lid_choices(fabric, *choices), "written.choices", fabric);
  expect(again.has_value(), "what was written is not read");
  for (const EndportId a : fabric.endports())
    for (const EndportId b : fabric.endports()) {
      const LidChoiceList& list = choices->at(a, b);
      const LidChoiceList& read = again->at(a, b);
      expect(!list.empty() && list.size() == read.size(), "no list, or another one");
      for (std::size_t i = 0; i < list.size(); ++i) {
        expect(list[i].weight > 0 && list[i].offset <= 127, "a weight or an offset out of range");
        expect(read[i].offset == list[i].offset && std::abs(read[i].weight / list[i].weight - 1) < 1e-5,
               "another weight");
      }
    }
  return 0;
}
