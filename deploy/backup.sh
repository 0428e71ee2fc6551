#!/bin/sh
# Backs up the embedded database of the systemd unit, copies the backup to another disk, and removes old ones. Run it as root, once
# a day. It prints a line on standard error and ends with an exit code other than 0 if a step fails. Then it removes no complete backup.
# "Every night" in docs/operating.md shows how to run it with cron.
set -eu

# The script under "Running commands" in docs/operating.md.
coursewire=${COURSEWIRE:-/usr/local/bin/coursewire}
# Where the service may write.
backups=${BACKUPS:-/var/lib/coursewire-backups}
# A folder on another disk. It must exist, so that a disk that is not mounted is noticed.
copies=${COPIES:-/mnt/backups/coursewire}
days=${DAYS:-14}
# So many of the newest backups are kept, however old the clock says they are.
keep=${KEEP:-7}
# If so many backups have no copy and the newest of them cannot be copied, there is no new one. More would fill the
# disk of the service.
most_uncopied=3

name=$(date +%F-%H%M%S)
fail() {
  echo "coursewire-backup: $1" >&2
  exit 1
}

# The names of the complete backups in a folder, oldest first. The slash is for a folder that is a link, as systemd makes it.
names_in() {
  find "$1/" -mindepth 1 -maxdepth 1 -name '20??-??-??-??????' | sed 's|.*/||' | sort
}

# The names of the backups that have no copy, oldest first.
uncopied() {
  for each in $(names_in "$backups"); do
    [ -d "$copies/$each" ] || echo "$each"
  done
}

# Only a complete copy that is on the disk gets the name of a backup. It is as old as the backup, since its age is watched.
copy() {
  if rm -rf "$copies/$1.partial" && cp -R "$backups/$1" "$copies/$1.partial" &&
    touch -r "$backups/$1" "$copies/$1.partial" && sync -f "$copies/$1.partial" && mv "$copies/$1.partial" "$copies/$1"; then
    return 0
  fi
  rm -rf "$copies/$1.partial"
  return 1
}

[ -d "$copies" ] || fail "there is no folder $copies: is the disk mounted?"
# What runs that were killed left behind, at least half a day ago. A backup that is not there yet has no folder.
for folder in "$backups/" "$copies/"; do
  [ ! -d "$folder" ] || find "$folder" -mindepth 1 -maxdepth 1 -name '20??-??-??-??????.partial*' -mmin +720 -exec rm -r {} + ||
    fail "what killed backups left in $folder could not be removed"
done

if [ -d "$backups/" ]; then
  count=$(uncopied | wc -l)
  if [ "$count" -ge "$most_uncopied" ]; then
    copy "$(uncopied | tail -n 1)" ||
      fail "$((count)) backups in $backups could not be copied to $copies; there is no new one, since its disk would fill up"
  fi
fi
"$coursewire" backup --to "$backups/$name" || fail "the backup $backups/$name failed"
copy "$name" || fail "$backups/$name could not be copied to $copies"

for folder in "$backups" "$copies"; do
  old=$(($(names_in "$folder" | wc -l) - keep))
  [ "$old" -gt 0 ] || continue
  for each in $(names_in "$folder" | head -n "$old"); do
    find "$folder/$each" -maxdepth 0 -mtime "+$days" -exec rm -r {} + || fail "the old backup $folder/$each could not be removed"
  done
done
