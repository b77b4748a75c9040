# The per-command supervisor, run as `perl -e`: nothing to compile, and nothing that a command could
# change on disk while the drone runs. No module is loaded (POSIX alone would cost 15 ms); system
# calls are made by number.
#
# On descriptor 3 the drone writes `.` to show that it lives and `x` to ask for a stop; its end (the
# drone died) and silence past the limit are stops too. To descriptor 4 (apart, so that a write
# which comes too late costs no report) goes one line per fact: `pipes OUT ERR`, `start PID`,
# `fail TEXT`, `exit CODE SIGNAL`, `stop REASON`, `left COUNT`, `done ENDED`. `done` is written only
# after waitpid said ECHILD, which for a subreaper proves that no descendant exists.
use strict;
my ($prctl, $sigmask, $signalfd, $grace, $silence) = map { $_ + 0 } splice @ARGV, 0, 5;
my ($name, $folder, $control_group, $kept) = splice @ARGV, 0, 4;
delete $ENV{PERL_BADLANG};
for (splice @ARGV, 0, $kept) { my ($key, $value) = split /=/, $_, 2; $ENV{$key} = $value }
my @argv = splice @ARGV;
$0 = "gadget-supervisor $name";

open(my $drone, "<&=", 3) or exit 125;
open(my $report, ">&=", 4) or exit 125;
fcntl($_, 2, 1) for $drone, $report;
sub tell_drone { my $line = "@_"; $line =~ tr/\n/ /; syswrite $report, "$line\n" }

my $flag = pack("i", 0);
syscall($prctl, 36, 1, 0, 0, 0);
syscall($prctl, 37, $flag, 0, 0, 0);
if (unpack("i", $flag) != 1) { tell_drone("fail", "no subreaper"); exit 125 }

# HUP, INT, QUIT, PIPE, TERM and CHLD are read from a descriptor: a perl handler would run only
# between two operations, and a signal that came just before select would be seen after it.
my $set = pack("L2", 1 | 2 | 4 | 1 << 12 | 1 << 14 | 1 << 16, 0);
my $none = pack("L2", 0, 0);
syscall($sigmask, 0, $set, 0, 8);
my $fd = syscall($signalfd, -1, $set, 8, 2048 | 524288);
if ($fd < 0) { tell_drone("fail", "no signalfd"); exit 125 }
open(my $signals, "<&=", $fd) or exit 125;

my $own = getpgrp(0);
my ($main, $exited, $alone, $stop, $streams, %ended) = (0, 0, 0, "", "");

# Waits at most so many seconds for news; returns what is left of them.
sub wait_for_news {
  my ($seconds) = @_;
  my $ready = "";
  vec($ready, fileno($signals), 1) = 1;
  vec($ready, fileno($drone), 1) = 1 unless $stop;
  my ($count, $rest) = select($ready, undef, undef, $seconds);
  return $rest if $count < 0;
  return 0 if $count == 0;
  if (vec($ready, fileno($signals), 1)) {
    while (sysread($signals, my $info, 128)) {
      my $number = unpack("L", $info);
      $stop ||= "signal" if $number != 17 && $number != 13;
    }
  }
  if (!$stop && vec($ready, fileno($drone), 1)) {
    my $bytes = sysread($drone, my $text, 4096);
    if (!$bytes) { $stop = "orphaned" }
    elsif ($text =~ /x/) { $stop = "asked" }
    else { $rest = $silence; $streams = $1 if $text =~ /([ps])/ }
  }
  return $rest;
}

sub reap {
  while (1) {
    my $pid = waitpid(-1, 1);
    if ($pid < 0) { $alone = 1; return }
    return if $pid == 0;
    next if $pid != $main;
    $exited = 1;
    tell_drone("exit", $? >> 8, $? & 127);
  }
}

sub status_of {
  open(my $file, "<", "/proc/$_[0]/stat") or return;
  my $line = <$file>;
  return $line =~ /\) (\S) (\d+)/s ? ($1, $2) : ();
}

my $listed = -e "/proc/$$/task/$$/children";
sub children_of {
  my ($pid, $all) = @_;
  return @{ $all->{$pid} || [] } if $all;
  my @found;
  opendir(my $tasks, "/proc/$pid/task") or return;
  for my $task (readdir $tasks) {
    next if $task =~ /^\./;
    open(my $file, "<", "/proc/$pid/task/$task/children") or next;
    push @found, split " ", scalar(<$file>) || "";
  }
  return @found;
}

sub descendants {
  my $all;
  if (!$listed) {
    $all = {};
    opendir(my $proc, "/proc") or return;
    for my $pid (grep { /^\d+$/ } readdir $proc) {
      my ($state, $parent) = status_of($pid);
      push @{ $all->{$parent} }, $pid if defined $parent;
    }
  }
  my @queue = children_of($$, $all);
  my %seen;
  while (@queue) {
    my $pid = shift @queue;
    next if $seen{$pid}++;
    push @queue, children_of($pid, $all);
  }
  return keys %seen;
}

# A signal to a group reaches all of it at once, so a group that keeps forking can't outrun it.
# Every group of a descendant but our own has only descendants in it: we lead our session.
sub signal_all {
  my ($signal, @pids) = @_;
  my %groups;
  for my $pid (@pids) {
    if (!$ended{$pid}) { my ($state) = status_of($pid); $ended{$pid} = 1 if $state && $state !~ /[ZX]/ }
    my $group = getpgrp($pid);
    if ($group && $group > 1 && $group != $own) { $groups{$group} = 1 } else { kill $signal, $pid }
  }
  kill $signal, -$_ for keys %groups;
}

sub write_group {
  my ($file, $text) = @_;
  return if $control_group eq "";
  open(my $group, ">", "$control_group/cgroup.$file") or return;
  syswrite $group, $text;
}

# The drone's own streams are sockets, on which /dev/stdout can't be opened; so it opens the
# reading ends of these pipes by way of /proc, and says p, or s where it can't.
pipe(my $out_read, my $out_write);
pipe(my $err_read, my $err_write);
tell_drone("pipes", fileno($out_read), fileno($err_read));
my $rest = $silence;
while (!$streams && !$stop) {
  $rest = wait_for_news($rest);
  $stop ||= "silent" if $rest <= 0;
}
# From here on no process of the same user can trace us or take our descriptors. Exec undoes it for
# the command.
syscall($prctl, 4, 0, 0, 0, 0);
if (!$stop) {
  my $self = $$;
  my $child = fork;
  if (!defined $child) { tell_drone("fail", "fork: $!"); exit 125 }
  if ($child == 0) {
    setpgrp(0, 0);
    syscall($prctl, 1, 9, 0, 0, 0);
    exit 125 if getppid() != $self;
    syscall($sigmask, 2, $none, 0, 8);
    write_group("procs", 0);
    if ($streams eq "p") { open(STDOUT, ">&", $out_write); open(STDERR, ">&", $err_write) }
    if (!chdir $folder) { tell_drone("fail", "cannot enter $folder: $!"); exit 126 }
    # Told from here, before the command's first step: it may kill us before our next one.
    tell_drone("start", $$);
    exec { $argv[0] } @argv;
    tell_drone("fail", "cannot run $argv[0]: $!");
    exit 127;
  }
  $main = $child;
  setpgrp($main, $main);
}
close($_) for $out_read, $out_write, $err_read, $err_write;
open(STDIN, "<", "/dev/null");
open(STDOUT, ">", "/dev/null");
open(STDERR, ">", "/dev/null");

$rest = $silence;
while (1) {
  reap();
  last if $exited || $alone || $stop;
  $rest = wait_for_news($rest);
  $stop ||= "silent" if $rest <= 0;
}
tell_drone("stop", $stop) if $stop;
$stop ||= "exited";

reap();
if (!$alone) {
  my @pids = descendants();
  signal_all("TERM", @pids);
  signal_all("CONT", @pids);
  $rest = $grace;
  while (1) {
    reap();
    last if $alone || $rest <= 0;
    $rest = wait_for_news($rest);
  }
}
my ($round, $waited) = (0, 0);
while (!$alone) {
  my @pids = descendants();
  signal_all("KILL", @pids);
  write_group("kill", 1);
  reap();
  last if $alone;
  if ($round++ > 50) {
    my $pause = $waited < 3 ? 0.002 : 0.25;
    $waited += $pause - wait_for_news($pause);
    # What can't be listed is there all the same: waitpid has not said ECHILD.
    tell_drone("left", @pids || 1) if $waited >= 3;
  }
  reap();
}
rmdir $control_group if $control_group ne "";
tell_drone("done", scalar keys %ended);
