#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# A campaign with the real OpenSM: the tables are those that it dumps, an engine that declines is found out, a campaign
# that is killed leaves no process and goes on where it was, and its records can be drawn.
source "$(dirname "$0")/common.sh" "$@"

repo=$test_dir/../..
records=$run_dir/records.jsonl
export TMPDIR=$run_dir
campaign=("$espalier" compare "$test_dir/../fabrics/two_level_tree.net" --engines dmodc
  --stock dmodc,minhop,updn,ftree,espalier-ftree --damage links:0,1,switches:1 --patterns a2a,sp,rp:20 --json "$records")

# field AMOUNT DAMAGE ENGINE VIA NAME: one value of one record.
field() {
  python3 - "$records" "$@" <<'PYTHON'
import json, sys
file, damage, amount, engine, via, name = sys.argv[1:]
for r in map(json.loads, open(file, encoding="utf-8")):
    if (r["damage"], r["amount"], r["engine"], r["via"]) == (damage, int(amount), engine, via):
        print(r[name])
PYTHON
}
count() { wc -l <"$records"; }

# Killed while OpenSM runs: of what it started, nothing is left. Then the rest.
"${campaign[@]}" 2>"$run_dir/first.log" &
campaign_pid=$!
started_pids+=("$campaign_pid")
at_least_two() { [[ -e $records ]] && (($(count) >= 2)); }
wait_for "two records" 60 at_least_two
kill -KILL "$campaign_pid"
wait "$campaign_pid" 2>/dev/null || true
nothing_runs() { ! pgrep -f "$run_dir/espalier-compare" >/dev/null; }
wait_for "the end of what it started" 20 nothing_runs
done_before=$(count)
printf '{"fabric":"two_level' >>"$records"
"${campaign[@]}" 2>"$run_dir/second.log"
expect "a repaired file" grep -q "removing 20 bytes" "$run_dir/second.log"
expect "18 records" [ "$(count)" = 18 ]
expect "only the missing runs" [ "$(grep -c "^espalier: [0-9]*/18 " "$run_dir/second.log")" = $((18 - done_before)) ]
expect_not "a folder left" compgen -G "$run_dir/espalier-compare-*" >/dev/null

expect_not "an engine that nobody has" "${campaign[@]}" --stock nonsense 2>/dev/null

# Who routed, and how well.
for damage in "none 0" "links 1" "switches 1"; do
  for metric in sound mu_a2a mu_sp_max mu_rp_median hosts; do
    # shellcheck disable=SC2086
    expect "$damage: the same $metric of dmodc inside and outside OpenSM" \
      [ "$(field $damage dmodc library $metric)" = "$(field $damage dmodc plugin $metric)" ]
  done
done
expect "ftree on the whole tree" [ "$(field none 0 ftree opensm engine_used)" = ftree ]
expect "minhop instead of ftree" [ "$(field links 1 ftree opensm engine_used)" = minhop ]
expect "our ftree" [ "$(field links 1 espalier-ftree plugin engine_used)" = espalier-ftree ]
expect "spines that updn does not connect" [ "$(field none 0 updn opensm wrong_entries)" = 2 ]
expect "a time" [ "$(field none 0 minhop opensm ms)" != 0 ]
expect "memory" [ "$(field none 0 minhop opensm peak_kib)" -gt 1000 ]

# With several LIDs per host, the same inside and outside.
"$espalier" compare "$test_dir/../fabrics/two_level_tree.net" --engines dmodc --stock dmodc,minhop --damage links:1 --lmc 2 \
  --lid-offset all --patterns sp,rp:20 --json "$run_dir/lmc.jsonl" 2>/dev/null >/dev/null
of_lmc() { records=$run_dir/lmc.jsonl field links 1 "$@"; }
for metric in sound mu_sp_max mu_rp_median hosts; do
  expect "the same $metric of dmodc with LMC 2" \
    [ "$(of_lmc dmodc library $metric)" = "$(of_lmc dmodc plugin $metric)" ]
done
expect "minhop over all LIDs" [ -n "$(of_lmc minhop opensm mu_sp_max)" ]

# The tables of the probe are those of OpenSM's own dump.
ESPALIER_PROBE_LFTS=$run_dir/probed "$repo/scripts/run_opensm.sh" -b "$ESPALIER_BUILD" -p espalier_probe -e updn \
  -d "$run_dir/updn" "$test_dir/../fabrics/two_level_tree.net" >/dev/null
expect "equal tables" "$espalier" diff "$run_dir/updn/opensm-lfts.dump" "$run_dir/probed"

# On a cluster: MPI, and an array of Slurm.
mkdir "$run_dir/folder"
shared=("$repo/scripts/campaign_shard.sh" "$test_dir/../fabrics/two_level_tree.net" --engines dmodc --damage links:0,1,2
  --json "$run_dir/folder" -j 1)
export ESPALIER=$espalier
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "${shared[@]}" 2>/dev/null
SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_MAX=5 SLURM_ARRAY_TASK_COUNT=2 "${shared[@]}" 2>/dev/null
expect "three records in two files" [ "$(cat "$run_dir"/folder/shard-[01]-of-2.jsonl | wc -l)" = 3 ]
expect_not "a shard without a number" "${shared[@]}" 2>/dev/null

# Pictures and table.
"$repo/scripts/plot_campaign.py" "$records" -o "$run_dir/plots" --table >"$run_dir/table"
expect "both kinds drawn" test -s "$run_dir/plots/damage_links.svg" -a -s "$run_dir/plots/damage_switches.svg"
expect "a row of the table" grep -q "^| two_level_tree | 1 link | OpenSM ftree | minhop |" "$run_dir/table"

# OpenSM starts where a switch is, and is not judged by a part that it cannot see.
cat >"$run_dir/pair.net" <<'END'
Ca 1 "H-0002c900000000a0"
[1] "H-0002c900000000b0"[1]

Ca 1 "H-0002c900000000b0"
[1] "H-0002c900000000a0"[1]

END
cat "$test_dir/../fabrics/single_switch.net" >>"$run_dir/pair.net"
advice() { timeout 60 "$espalier" advise "$1" --stock minhop 2>/dev/null; }
expect "minhop beside a pair of hosts" grep -q "^minhop *sound *sound" <(advice "$run_dir/pair.net")
expect "minhop on one of two parts" grep -q "^minhop *not run: .* only one of 2 parts" <(advice "$test_dir/../fabrics/two_subnets.net")
