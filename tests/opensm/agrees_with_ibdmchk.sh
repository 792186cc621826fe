#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
# `espalier verify` and ibdmchk say the same of what stock engines route: sound, a credit loop, or packets that do not
# arrive. Both read opensm-subnet.lst and opensm.fdbs, both take it that there is one virtual lane, and both are asked
# twice:
#
#   packets between end ports   verify --traffic end-ports   ibdmchk      (which looks at CA-to-CA paths)
#   all packets                 verify                       ibdmchk -a   (switches send and receive, too)
#
# Fabrics: tests/fabrics, damaged fat trees, random graphs; a few of each, or as a campaign (CAMPAIGN=N) N of the latter
# two, all of ESPALIER_FABRICS, and every stock engine. Prints a line for each question that was asked.
#
# Where packets do not arrive ibdmchk gives no verdict on loops. It knows no routers, so fabrics with one are left out.
source "$(dirname "$0")/common.sh" "$@"

campaign=${CAMPAIGN:-0}
engines="minhop updn dfsssp"
((campaign > 0)) && engines="minhop updn dnup ftree dor lash sssp dfsssp nue"

# random_graph SWITCHES EXTRA SEED: a random tree of switches, EXTRA further cables, up to two hosts on each switch.
random_graph() {
  awk -v switches="$1" -v extra="$2" -v seed="$3" '
    function plug(a, b) {
      line[a, ++ports[a]] = sprintf("\"S%d\"[%d]\t# \"\" lid 0 4xEDR", b, ports[b] + 1)
      line[b, ++ports[b]] = sprintf("\"S%d\"[%d]\t# \"\" lid 0 4xEDR", a, ports[a])
    }
    BEGIN {
      srand(seed)
      for (i = 1; i < switches; ++i) plug(i, int(rand() * i))
      for (i = 0; i < extra; ++i) {
        a = int(rand() * switches)
        plug(a, (a + 1 + int(rand() * (switches - 1))) % switches)
      }
      for (i = 0; i < switches; ++i)
        for (h = int(rand() * 3) + (i == 0); h > 0; --h) {
          line[i, ++ports[i]] = sprintf("\"host%d.%d\"[1]\t# \"\" lid 0 4xEDR", i, h)
          printf "Ca 1 \"host%d.%d\"\n[1] \"S%d\"[%d]\t# lid 0 lmc 0 \"\" lid 0 4xEDR\n\n", i, h, i, ports[i]
        }
      for (i = 0; i < switches; ++i) {
        printf "Switch %d \"S%d\"\n", ports[i], i
        for (p = 1; p <= ports[i]; ++p) printf "[%d] %s\n", p, line[i, p]
        print ""
      }
    }'
}

says_ibdmchk() { # says_ibdmchk DIR [-a]
  local said files=(-s opensm-subnet.lst -f opensm.fdbs -m none.mcfdbs)
  said=$(cd "$1" && timeout -s KILL 600 ibdmchk "${files[@]}" "${@:2}" 2>&1 || true)
  case $said in
    *"Traversals Failed"* | *"Fail to build dependency graphs"*) echo "does not deliver" ;;
    *"credit loops in routing"*) echo "credit loop" ;;
    *"no credit loops found"*) echo "sound" ;;
    *) echo "no verdict" ;;
  esac
}

says_espalier() { # says_espalier DIR [--traffic end-ports]
  local said code=0
  said=$("$espalier" verify "$1/opensm-subnet.lst" "$1/opensm.fdbs" "${@:2}" 2>&1) || code=$?
  if ((code == 0)); then
    echo "sound"
  elif ((code == 1)) && grep -q "^\(missing entry\|bad port\|wrong delivery\|loop\): " <<<"$said"; then
    echo "does not deliver"
  elif ((code == 1)) && grep -q "^credit loop: " <<<"$said"; then
    echo "credit loop"
  else
    echo "no verdict ($said)"
  fi
}

asked=0
differing=0
compare() { # compare WHAT TRAFFIC OURS THEIRS
  asked=$((asked + 1))
  local mark=""
  if [[ $3 != "$4" ]]; then
    mark=" <-- differ"
    differing=$((differing + 1))
  fi
  printf '%-40s %-9s %-17s %-17s%s\n' "$1" "$2" "$3" "$4" "$mark" | tee -a "$top_dir/table"
}

run_all() { # run_all NAME NET: each engine on the fabric, both judges on each result
  local name=$1 engine
  new_run "$top_dir/$name"
  start_ibsim "$2"
  for engine in $engines; do
    sm_name=$engine
    start_opensm "routing_engine $engine" "reassign_lids TRUE"
    wait_log "SUBNET UP" 120
    if in_log ": $engine tables configured on all switches"; then
      local dir=$run_dir/$engine
      : >"$dir/none.mcfdbs" # multicast is not the question
      compare "$name $engine" "end ports" "$(says_espalier "$dir" --traffic end-ports)" "$(says_ibdmchk "$dir")"
      compare "$name $engine" "all" "$(says_espalier "$dir")" "$(says_ibdmchk "$dir" -a)"
    else
      echo "$name $engine: declines"
    fi
    stop "$sm_pid"
  done
  stop_all
}

printf '%-40s %-9s %-17s %-17s\n' "fabric, engine" "packets" "espalier" "ibdmchk"
fabrics=("$test_dir"/../fabrics/*.net)
if ((campaign > 0)) && [[ -n ${ESPALIER_FABRICS:-} ]]; then fabrics+=("$ESPALIER_FABRICS"/*.net); fi
for net in "${fabrics[@]}"; do
  grep -q "^Rt" "$net" || run_all "$(basename "$net" .net)" "$net"
done
for ((seed = 1; seed <= (campaign > 0 ? campaign : 2); ++seed)); do
  "$espalier" generate pgft "3;4,4,4;1,2,4;1,2,1" -o "$top_dir/whole.net"
  damage=(--links $((4 + seed * 4 % 60)) --switches $((seed % 4)) --seed "$seed")
  "$espalier" degrade "$top_dir/whole.net" "${damage[@]}" -o "$top_dir/$seed.net"
  run_all "damaged_tree_$seed" "$top_dir/$seed.net"
  random_graph $((6 + seed % 12)) $((4 + seed % 11)) "$seed" >"$top_dir/$seed.net"
  run_all "random_graph_$seed" "$top_dir/$seed.net"
done

echo "$asked questions, $differing answers differ"
expect "one verdict" test "$differing" = 0
expect "minhop's loop on a ring" grep -q "^ring_of_five minhop  *end ports credit loop  *credit loop" "$top_dir/table"
