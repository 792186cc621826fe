// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_host_parts accepts names hosts of the fabric, in each part once; what it refuses has a file.
#include <set>

#include "core/io/lists/host_parts.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const UnknownHosts unknown : {UnknownHosts::kRefuse, UnknownHosts::kSkip}) {
    const auto parts = read_host_parts(text, "fuzz.hosts", fabric, unknown);
    if (!parts) {
      expect(parts.error().file == "fuzz.hosts" && !parts.error().message.empty(), "an error without file or message");
      continue;
    }
    expect(!parts->empty(), "no part");
    for (const HostPart& part : *parts) {
      const std::set<EndportId> hosts(part.hosts.begin(), part.hosts.end());
      expect(!hosts.empty() && hosts.size() == part.hosts.size(), "a part without hosts, or a host twice");
      expect(index(*hosts.rbegin()) < fabric.num_endports(), "a host that is not there");
    }
  }
  return 0;
}
