// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/repair/file/reference_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <optional>

#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "core/repair/file/lanes_section.h"
#include "core/repair/file/reference_bytes.h"

namespace espalier {
namespace {

constexpr std::string_view kMagic = "ESPREFER";
constexpr std::uint32_t kFirstVersion = 1;  // has no numbered hosts
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kLanesVersion = 3;  // has lanes
constexpr std::size_t kHeaderSize = 32;
constexpr std::size_t kSizeAt = 16;
constexpr std::size_t kChecksumAt = 24;
constexpr std::size_t kMaxLevel = 249;
// Least bytes of one record, to check counts before anything is allocated.
constexpr std::size_t kSwitchSize = 23;
constexpr std::size_t kEndportSize = 22;
constexpr std::size_t kLinkSize = 12;
constexpr std::size_t kHostSize = 4;

struct LinkRecord {
  std::uint32_t a;
  PortNum a_port;
  std::uint32_t b;  // from the number of switches on: an end port
  PortNum b_port;
  LinkRate rate;
};

std::vector<LinkRecord> links_of(const Fabric& fabric) {
  std::vector<LinkRecord> links;
  for (const SwitchId s : fabric.switches())
    for (const PortNum port : fabric.ports(s)) {
      const Peer& peer = fabric.peer(s, port);
      const auto here = static_cast<std::uint32_t>(s);
      if (peer.is_endport())
        links.push_back(
            {here, port, static_cast<std::uint32_t>(fabric.num_switches() + peer.id), peer.port, fabric.rate(s, port)});
      if (peer.is_switch() && std::pair(here, index(port)) < std::pair(peer.id, index(peer.port)))
        links.push_back({here, port, peer.id, peer.port, fabric.rate(s, port)});
    }
  return links;
}

void put_nodes(ReferenceWriter& out, const Reference& reference) {
  const Fabric& fabric = reference.fabric;
  for (const SwitchId s : fabric.switches()) {
    const Switch& sw = fabric.at(s);
    out.put(index(sw.guid));
    out.put(static_cast<std::uint16_t>(sw.lid));
    out.put(sw.lmc);
    out.put(sw.num_ports);
    out.put(static_cast<std::uint8_t>(sw.port0));
    out.put(sw.lft_capacity);
    out.put(static_cast<std::uint8_t>(reference.level[s]));
    out.put(reference.position[s]);
    out.put_text(sw.description);
  }
  for (const EndportId e : fabric.endports()) {
    const Endport& port = fabric.at(e);
    out.put(index(port.node_guid));
    out.put(index(port.port_guid));
    out.put(static_cast<std::uint16_t>(port.lid));
    out.put(port.lmc);
    out.put(static_cast<std::uint8_t>(port.port));
    out.put(static_cast<std::uint8_t>(port.kind));
    out.put_text(port.description);
  }
}

tl::unexpected<Error> not_a_reference(const std::string& file_name, std::string_view why) {
  return fail_at(file_name, 0, fmt::format("not a complete reference: {}", why),
                 "create it again by \"espalier route --save-reference\"");
}

// Half a sentence about the first thing that is wrong with the frame; empty: nothing.
std::string fault_of_frame(std::string_view file) {
  if (file.size() < kHeaderSize || !file.starts_with(kMagic)) return "its first bytes are not those of a reference";
  ReferenceReader header(file.substr(kMagic.size()));
  if (const auto version = header.take<std::uint32_t>(); version < kFirstVersion || version > kLanesVersion)
    return fmt::format("its layout has version {}, but this program reads versions {} to {}", version, kFirstVersion,
                       kLanesVersion);
  static_cast<void>(header.take<std::uint32_t>());
  if (header.take<std::uint64_t>() != file.size() || file.size() > kMaxReferenceSize)
    return "its size does not match its header";
  if (header.take<std::uint64_t>() != reference_checksum(file)) return "the checksum differs";
  return {};
}

struct Counts {
  std::size_t switches, endports, links, width, hosts;
};

class Body {
 public:
  Body(ReferenceReader in, std::uint32_t version, const std::string& file_name)
      : in_(in), version_(version), file_name_(file_name) {}

  Result<Reference> read() {
    std::string engine = in_.take_text();
    counts_ = {in_.take<std::uint32_t>(), in_.take<std::uint32_t>(), in_.take<std::uint32_t>(),
               in_.take<std::uint32_t>(), version_ == kFirstVersion ? 0 : in_.take<std::uint32_t>()};
    const std::uint64_t least = std::uint64_t{kSwitchSize} * counts_.switches + kEndportSize * counts_.endports +
                                kLinkSize * counts_.links + kHostSize * counts_.hosts +
                                std::uint64_t{counts_.switches} * counts_.width;
    if (in_.failed() || counts_.width > index(kMaxUnicastLid) + 1 || least > in_.left())
      return refuse("its counts exceed its size");
    ESPALIER_TRY_STATUS(read_switches());
    ESPALIER_TRY_STATUS(read_endports());
    ESPALIER_TRY_STATUS(read_links());
    ESPALIER_TRY(std::vector<EndportId> hosts, read_hosts());
    const std::size_t size = counts_.switches * counts_.width;
    if (in_.failed() || in_.left() < size || (version_ != kLanesVersion && in_.left() != size))
      return refuse("its tables are incomplete");
    Result<Fabric> fabric = std::move(builder_).build();
    if (!fabric) return refuse(fabric.error().message);
    if (index(fabric->top_lid()) + 1 != counts_.width) return refuse("its tables do not match its LIDs");
    ForwardingTables tables = take_tables(*fabric);
    std::optional<Lanes> lanes;
    if (version_ == kLanesVersion) {
      Result<Lanes> taken = take_lanes(in_, *fabric);
      if (!taken) return refuse(taken.error().message);
      lanes = *std::move(taken);
    }
    return Reference{std::move(engine), *std::move(fabric), std::move(level_), std::move(position_),
                     std::move(tables), std::move(hosts),   std::move(lanes)};
  }

 private:
  using SwitchHandle = FabricBuilder::SwitchHandle;
  using EndportHandle = FabricBuilder::EndportHandle;

  tl::unexpected<Error> refuse(std::string_view why) const { return not_a_reference(file_name_, why); }

  Status read_switches() {
    std::vector<bool> taken(counts_.switches);
    Guid last = kNoGuid;
    for (std::size_t i = 0; i < counts_.switches; ++i) {
      Switch s;
      s.guid = Guid{in_.take<std::uint64_t>()};
      s.lid = Lid{in_.take<std::uint16_t>()};
      s.lmc = in_.take<std::uint8_t>();
      s.num_ports = in_.take<std::uint8_t>();
      const auto port0 = in_.take<std::uint8_t>();
      s.port0 = port0 == 0 ? Port0Kind::kBase : Port0Kind::kEnhanced;
      s.lft_capacity = in_.take<std::uint32_t>();
      const auto level = in_.take<std::uint8_t>();
      const auto position = in_.take<std::uint32_t>();
      s.description = in_.take_text();
      if (in_.failed()) return refuse("it ends within its switches");
      if (s.guid <= last || port0 > 1 || s.num_ports == 0xFF || level > kMaxLevel)
        return refuse(fmt::format("its switch {} is invalid", i));
      if (position >= counts_.switches || taken[position])
        return refuse(fmt::format("the position of switch {} is taken", i));
      last = s.guid;
      taken[position] = true;
      level_.push_back(Level{level});
      position_.push_back(position);
      builder_.add_switch(std::move(s));
    }
    return {};
  }

  Status read_endports() {
    std::pair<Guid, PortNum> last{kNoGuid, kNoPort};
    for (std::size_t i = 0; i < counts_.endports; ++i) {
      Endport e;
      e.node_guid = Guid{in_.take<std::uint64_t>()};
      e.port_guid = Guid{in_.take<std::uint64_t>()};
      e.lid = Lid{in_.take<std::uint16_t>()};
      e.lmc = in_.take<std::uint8_t>();
      e.port = PortNum{in_.take<std::uint8_t>()};
      const auto kind = in_.take<std::uint8_t>();
      e.kind = kind == 0 ? EndportKind::kChannelAdapter : EndportKind::kRouter;
      e.description = in_.take_text();
      if (in_.failed()) return refuse("it ends within its end ports");
      const std::pair now(e.node_guid, e.port);
      if ((i > 0 && now <= last) || kind > 1) return refuse(fmt::format("its end port {} is invalid", i));
      last = now;
      builder_.add_endport(std::move(e));
    }
    return {};
  }

  Status read_links() {
    for (std::size_t i = 0; i < counts_.links; ++i) {
      const auto a = in_.take<std::uint32_t>();
      const PortNum a_port{in_.take<std::uint8_t>()};
      const auto b = in_.take<std::uint32_t>();
      const PortNum b_port{in_.take<std::uint8_t>()};
      LinkRate rate;
      rate.width = in_.take<std::uint8_t>();
      const auto speed = in_.take<std::uint8_t>();
      if (in_.failed()) return refuse("it ends within its links");
      const bool to_switch = b < counts_.switches;
      if (a >= counts_.switches || b >= counts_.switches + counts_.endports ||
          speed > static_cast<std::uint8_t>(LinkSpeed::kXdr))
        return refuse(fmt::format("its link {} is invalid", i));
      rate.speed = LinkSpeed{speed};
      if (to_switch) {
        builder_.connect(SwitchHandle{a}, a_port, SwitchHandle{b}, b_port, rate);
      } else {
        const EndportHandle e{static_cast<std::uint32_t>(b - counts_.switches)};
        if (builder_.at(e).port != b_port) return refuse(fmt::format("link {} ends at another port", i));
        builder_.connect(SwitchHandle{a}, a_port, e, rate);
      }
    }
    return {};
  }

  Result<std::vector<EndportId>> read_hosts() {
    std::vector<EndportId> hosts;
    for (std::size_t i = 0; i < counts_.hosts; ++i) {
      const auto e = in_.take<std::uint32_t>();
      if (e >= counts_.endports) return refuse(fmt::format("its host {} is no end port", i));
      hosts.push_back(EndportId{e});
    }
    return hosts;
  }

  // REQUIRES: they are there.
  ForwardingTables take_tables(const Fabric& fabric) {
    ForwardingTables tables(counts_.switches, fabric.top_lid());
    for (const SwitchId s : fabric.switches()) {
      const std::string_view row = in_.take_bytes(counts_.width);
      std::transform(row.begin(), row.end(), tables.row(s).begin(),
                     [](char c) { return PortNum{static_cast<std::uint8_t>(c)}; });
    }
    return tables;
  }

  ReferenceReader in_;
  std::uint32_t version_;
  const std::string& file_name_;
  Counts counts_{};
  FabricBuilder builder_;
  IdVector<SwitchId, Level> level_;
  IdVector<SwitchId, std::uint32_t> position_;
};

}  // namespace

std::uint64_t reference_checksum(std::string_view file) {
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, 0, 0, false, false> crc;
  if (file.size() > kHeaderSize) crc.process_bytes(file.data() + kHeaderSize, file.size() - kHeaderSize);
  return crc.checksum();
}

std::string write_reference(const Reference& reference) {
  const Fabric& fabric = reference.fabric;
  ReferenceWriter out;
  for (const char c : kMagic) out.put(c);
  out.put(reference.lanes ? kLanesVersion : kVersion);
  out.put(std::uint32_t{0});
  out.put(std::uint64_t{0});
  out.put(std::uint64_t{0});
  out.put_text(reference.engine);
  const std::vector<LinkRecord> links = links_of(fabric);
  out.put(static_cast<std::uint32_t>(fabric.num_switches()));
  out.put(static_cast<std::uint32_t>(fabric.num_endports()));
  out.put(static_cast<std::uint32_t>(links.size()));
  out.put(static_cast<std::uint32_t>(reference.tables.width()));
  out.put(static_cast<std::uint32_t>(reference.hosts.size()));
  put_nodes(out, reference);
  for (const LinkRecord& link : links) {
    out.put(link.a);
    out.put(static_cast<std::uint8_t>(link.a_port));
    out.put(link.b);
    out.put(static_cast<std::uint8_t>(link.b_port));
    out.put(link.rate.width);
    out.put(static_cast<std::uint8_t>(link.rate.speed));
  }
  for (const EndportId e : reference.hosts) out.put(static_cast<std::uint32_t>(e));
  for (const SwitchId s : fabric.switches()) out.put_bytes(reference.tables.row(s));
  if (reference.lanes) put_lanes(out, fabric, *reference.lanes);
  out.overwrite(kSizeAt, out.text().size());
  out.overwrite(kChecksumAt, reference_checksum(out.text()));
  return out.take();
}

Result<Reference> read_reference(std::string_view content, const std::string& file_name) {
  if (const std::string fault = fault_of_frame(content); !fault.empty()) return not_a_reference(file_name, fault);
  const auto version = ReferenceReader(content.substr(kMagic.size())).take<std::uint32_t>();
  return Body(ReferenceReader(content.substr(kHeaderSize)), version, file_name).read();
}

}  // namespace espalier
