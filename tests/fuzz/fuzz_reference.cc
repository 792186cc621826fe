// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever reference is accepted is written and reads back the same, and can be repaired: what comes out may be unsound,
// but verification of the change says so. So that mutations get past the checksum, they get a good one first.
#include "core/analysis/soundness/verify.h"
#include "core/repair/file/reference_file.h"
#include "core/repair/repairable_reference.h"
#include "tests/fuzz/expect.h"
#include "tests/support/without.h"

namespace {

using namespace espalier;

constexpr std::size_t kMostEntries = 100'000;  // an input is to take milliseconds

void repair_and_judge(const RepairableReference& reference, const Fabric& now) {
  const auto repaired = reference.patch(now, {});
  if (!repaired) return;
  const VerifyReport changed = reference.verify_change(now, *repaired);
  const VerifyReport whole = verify(now, repaired->tables.whole(), repaired->lanes);
  expect(changed.num_violations == whole.num_violations && changed.num_dependencies == whole.num_dependencies,
         "verification of a change differs from that of the whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with("ESPREFER") && size >= 32) {
    const std::uint64_t checksum = reference_checksum(content);
    for (std::size_t i = 0; i < 8; ++i) {
      content[16 + i] = static_cast<char>(std::uint64_t{size} >> (8 * i) & 0xFF);
      content[24 + i] = static_cast<char>(checksum >> (8 * i) & 0xFF);
    }
  }
  const auto reference = read_reference(content, "fuzz");
  if (!reference) {
    expect(reference.error().file == "fuzz" && !reference.error().message.empty(), "an error without file or message");
    return 0;
  }
  const std::string written = write_reference(*reference);
  const auto again = read_reference(written, "written");
  expect(again.has_value() && again->tables == reference->tables, "other tables from the written file");
  expect(write_reference(*again) == written, "another file from the written one");
  if (reference->fabric.num_switches() * reference->tables.width() > kMostEntries) return 0;
  const auto prepared = prepare(*again);
  const Fabric& fabric = prepared->reference().fabric;
  repair_and_judge(*prepared, fabric);
  for (const SwitchId s : fabric.switches()) {
    repair_and_judge(*prepared, without_switch(fabric, s));
    for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p)
      if (fabric.peer(s, id_at<PortNum>(p)).kind != Peer::Kind::kNone)
        repair_and_judge(*prepared, without_link(fabric, s, id_at<PortNum>(p)));
    if (index(s) == 3) break;
  }
  return 0;
}
