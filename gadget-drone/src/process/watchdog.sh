# Ends a command whose drone died or fell silent, where no subreaper can: run as `sh -c` with the
# seconds of silence, the command's mark and the name of the variable that carries its cookie. On
# descriptor 3 comes the cookie, which must stand in no list of processes; then the command's group
# once it has started, a line for each sign of life, and `done`.
#
# Each process is hit where it is found, and those younger than the command are looked at more
# often: one that forks and goes is gone again soon.
silence=$1 mark=$2 variable=$3 group=
read -r cookie <&3
hit() { [ "$2" != - ] && kill -s "$1" -- "$2" 2>/dev/null && hits=1; }
by_mark() {
  for folder in /proc/[0-9]*; do
    [ "${folder#/proc/}" -ge "$2" ] || continue
    for file in "$folder"/fd/*; do
      [ "$file" -ef "$mark" ] && hit "$1" "${folder#/proc/}" && break
    done
  done
}
by_table() {
  for pid in $(ps -axwwE -o pid=,command= | grep -F "$variable=$cookie" | sed 's/^ *//; s/ .*//') $(lsof -t -w -- "$mark"); do
    hit "$1" "$pid"
  done
} 2>/dev/null
by_cookie() {
  for file in $(grep -lF "$variable=$cookie" /proc/[0-9]*/environ 2>/dev/null); do
    file=${file#/proc/}
    hit "$1" "${file%/environ}"
  done
}
all() {
  hit "$1" "-$group"
  if [ -r /proc/self/environ ]; then by_mark "$1" 0; by_cookie "$1"; else by_table "$1"; fi
}
end_all() {
  all TERM
  all CONT
  sleep 0.3
  round=0 calm=0
  while [ "$round" -lt 200 ] && [ "$calm" -lt 20 ]; do
    hits=0
    hit KILL "-$group"
    if [ $((round % 10)) -eq 0 ]; then all KILL
    elif [ -r /proc/self/environ ]; then by_mark KILL "${group:-0}"
    fi
    if [ "$hits" -eq 0 ]; then calm=$((calm + 1)); else calm=0; fi
    round=$((round + 1))
  done
  rm -f -- "$mark"
}
listen() {
  ( trap 'kill "$nap"; exit 0' TERM
    sleep "$silence" 3<&- & nap=$!
    wait "$nap"
    end_all ) &
  timer=$!
}
listen
while read -r word <&3; do
  kill "$timer" 2>/dev/null
  wait "$timer"
  case $word in
    done) exit 0 ;;
    group) read -r group <&3 ;;
  esac
  listen
done
kill "$timer" 2>/dev/null
end_all
