// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/run.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::packets {
namespace {

constexpr Cycle kDeadlockEvery = 4096;  // cycles between two looks at the wait-for graph

// Two-sided 95 % quantiles of Student's distribution for 1 .. 30 degrees of freedom.
constexpr std::array<double, 30> kStudent = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                             2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                             2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

// Runs until `end`; false: deadlock, or finite traffic is all delivered.
class Runner {
 public:
  Runner(Simulator& simulator, std::uint64_t total, Progress* progress)
      : simulator_(simulator), total_(total), progress_(progress) {}

  bool until(Cycle end) {
    while (simulator_.now() < end) {
      simulator_.advance(std::min(end - simulator_.now(), 256 - simulator_.now() % 256));
      if (simulator_.now() % 256 != 0) continue;
      tell();
      if (total_ > 0 && done()) return false;
      if (simulator_.now() % kDeadlockEvery == 0 && simulator_.deadlocked() > 0) {
        deadlock_ = true;
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool done() const { return simulator_.delivered() + simulator_.undelivered() >= total_; }
  [[nodiscard]] bool deadlock() const { return deadlock_; }

 private:
  void tell() {
    const std::uint64_t so_far = total_ > 0 ? simulator_.delivered() : simulator_.now();
    advance(progress_, so_far - told_);
    told_ = so_far;
  }

  Simulator& simulator_;
  std::uint64_t total_;  // packets; 0: no end
  Progress* progress_;
  std::uint64_t told_ = 0;
  bool deadlock_ = false;
};

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

// Units count when they begin: in a span of a few cycles more may begin than fit.
std::array<double, 3> utilization(const Simulator& simulator, const Counters& counters, Cycle cycles) {
  std::array<double, 3> possible = {};  // units
  const Network& network = *simulator.state().network;
  for (Port p = 0; p < network.num_ports(); ++p)
    possible[static_cast<std::size_t>(network.ports[p].kind)] +=
        static_cast<double>(cycles) / (simulator.state().parameters->unit_phits() * network.slowness[p]);
  std::array<double, 3> used = {};
  for (std::size_t i = 0; i < used.size(); ++i)
    used[i] = std::min(1.0, ratio(static_cast<double>(counters.units_sent[i]), possible[i]));
  return used;
}

struct Batch {
  Counters counters;
  Cycle cycles = 0;
};

Estimate of_batches(std::span<const Batch> batches, double (*value)(const Batch&)) {
  std::vector<double> samples;
  for (const Batch& batch : batches)
    if (batch.counters.packets > 0 || batch.cycles > 0) samples.push_back(value(batch));
  return estimate(samples);
}

// Phits for each of so many nodes and each cycle.
Estimate of_nodes(std::span<const Batch> batches, double nodes, std::uint64_t (*phits)(const Counters&)) {
  std::vector<double> samples;
  double sum = 0;
  double cycles = 0;
  for (const Batch& batch : batches) {
    const auto delivered = static_cast<double>(phits(batch.counters));
    samples.push_back(ratio(delivered, batch.cycles));
    sum += delivered;
    cycles += batch.cycles;
  }
  return {ratio(sum, nodes * cycles), ratio(estimate(samples).half_width, nodes)};
}

double latency_of(const Batch& batch) {
  return ratio(static_cast<double>(batch.counters.latency), static_cast<double>(batch.counters.packets));
}

// The later half's latencies are those of the earlier half, up to 15 % and the noise of both.
bool latencies_are_steady(std::span<const Batch> batches) {
  const std::size_t half = batches.size() / 2;
  if (half < 2) return true;
  const Estimate early = of_batches(batches.first(half), latency_of);
  const Estimate late = of_batches(batches.subspan(half), latency_of);
  return late.mean <= 1.15 * early.mean + early.half_width + late.half_width;
}

// Nodes do not fall behind: over so many cycles the delay at the sources grew by no more than a small share of them,
// which is the share of the traffic that the network does not take. Latencies of packets that arrive may hide that, as
// those of the flows that starve are few.
bool sources_keep_up(double delay_before, double delay_after, Cycle cycles) {
  constexpr double kMostLeftBehind = 0.02;
  return delay_after - delay_before <= kMostLeftBehind * static_cast<double>(cycles);
}

void summarize(RunResult& result, const Simulator& simulator, std::span<const Batch> batches) {
  const double nodes = simulator.state().network->num_nodes();
  const double hosts = simulator.state().network->num_hosts;
  Counters sum;
  for (const Batch& batch : batches) {
    sum += batch.counters;
    result.measured += batch.cycles;
  }
  const auto packets = static_cast<double>(sum.packets);
  result.throughput = of_nodes(batches, nodes, [](const Counters& counters) { return counters.phits; });
  result.of_hosts =
      of_nodes(batches, hosts, [](const Counters& counters) { return counters.phits - counters.phits_of_switches; });
  result.of_switches =
      of_nodes(batches, nodes - hosts, [](const Counters& counters) { return counters.phits_of_switches; });
  result.latency = of_batches(batches, latency_of);
  result.latency.mean = ratio(static_cast<double>(sum.latency), packets);
  result.hops = of_batches(batches, [](const Batch& batch) {
    return ratio(static_cast<double>(batch.counters.hops), static_cast<double>(batch.counters.packets));
  });
  result.hops.mean = ratio(static_cast<double>(sum.hops), packets);
  result.misrouted = ratio(static_cast<double>(sum.misrouted), packets);
  result.utilization = utilization(simulator, sum, result.measured);
  result.latency_quantiles = {simulator.latencies().quantile(0.5), simulator.latencies().quantile(0.95),
                              simulator.latencies().quantile(0.99)};
}

}  // namespace

Estimate estimate(std::span<const double> samples) {
  if (samples.empty()) return {};
  const auto count = static_cast<double>(samples.size());
  Estimate result{.mean = std::reduce(samples.begin(), samples.end()) / count};
  if (samples.size() < 2) return result;
  double squares = 0;
  for (const double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
  const std::size_t freedom = samples.size() - 1;
  const double quantile = freedom <= kStudent.size() ? kStudent[freedom - 1] : 1.96;
  result.half_width = quantile * std::sqrt(squares / static_cast<double>(freedom) / count);
  return result;
}

RunResult run(Simulator& simulator, const RunLength& length, std::uint64_t total, Progress* progress) {
  const bool finite = total > 0;
  Runner runner(simulator, total, progress);
  std::vector<Batch> batches;
  RunResult result;
  bool goes_on = finite || runner.until(length.warmup);
  simulator.reset_counters();
  const Cycle start = simulator.now();
  const double delay = simulator.source_delay();
  const std::uint32_t count = finite ? 1 : std::max(1U, std::min<std::uint32_t>(length.batches, length.cycles));
  Counters before;
  for (std::uint32_t i = 1; i <= count && goes_on; ++i) {
    const Cycle begin = simulator.now();
    goes_on = runner.until(start + static_cast<Cycle>(std::uint64_t{length.cycles} * i / count));
    Batch batch{simulator.counters(), simulator.now() - begin};
    batch.counters -= before;
    before = simulator.counters();
    batches.push_back(batch);
  }
  result.finished = finite && runner.done();
  // Looked at now and then, it ended when the last packet arrived.
  if (result.finished) batches.front().cycles = simulator.last_delivery();
  summarize(result, simulator, batches);
  result.cycles = result.finished ? simulator.last_delivery() : simulator.now();
  result.packet_hops = simulator.packet_hops();
  result.delivered = simulator.delivered();
  result.undelivered = simulator.undelivered();
  result.deadlock = runner.deadlock() || simulator.deadlocked() > 0;
  result.steady = !finite && !result.deadlock && latencies_are_steady(batches) &&
                  sources_keep_up(delay, simulator.source_delay(), simulator.now() - start);
  return result;
}

RunResult combine(std::span<const RunResult> runs) {
  RunResult sum = runs.front();
  if (runs.size() == 1) return sum;
  const auto over_runs = [&](auto value) {
    std::vector<double> samples;
    for (const RunResult& r : runs) samples.push_back(value(r));
    return estimate(samples);
  };
  sum.throughput = over_runs([](const RunResult& r) { return r.throughput.mean; });
  sum.of_hosts = over_runs([](const RunResult& r) { return r.of_hosts.mean; });
  sum.of_switches = over_runs([](const RunResult& r) { return r.of_switches.mean; });
  sum.latency = over_runs([](const RunResult& r) { return r.latency.mean; });
  sum.hops = over_runs([](const RunResult& r) { return r.hops.mean; });
  sum.misrouted = over_runs([](const RunResult& r) { return r.misrouted; }).mean;
  for (std::size_t i = 0; i < sum.utilization.size(); ++i) {
    sum.utilization[i] = over_runs([i](const RunResult& r) { return r.utilization[i]; }).mean;
    sum.latency_quantiles[i] = static_cast<std::uint32_t>(
        over_runs([i](const RunResult& r) { return static_cast<double>(r.latency_quantiles[i]); }).mean);
  }
  for (const RunResult& r : runs.subspan(1)) {
    sum.cycles = std::max(sum.cycles, r.cycles);
    sum.measured = std::max(sum.measured, r.measured);
    sum.packet_hops += r.packet_hops;
    sum.delivered += r.delivered;
    sum.undelivered += r.undelivered;
    sum.deadlock = sum.deadlock || r.deadlock;
    sum.steady = sum.steady && r.steady;
    sum.finished = sum.finished && r.finished;
  }
  return sum;
}

}  // namespace espalier::packets
