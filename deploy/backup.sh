#!/bin/sh
# Backs up the embedded database of the systemd unit, copies the backup to another disk, and removes old ones. Run it as root, once
# a day. It prints a line on standard error and ends with an exit code other than 0 if a step fails. Then it removes nothing.
# "Every night" in docs/operating.md shows how to run it with cron.
set -eu

# The script under "Running commands" in docs/operating.md.
coursewire=${COURSEWIRE:-/usr/local/bin/coursewire}
# Where the service may write.
backups=${BACKUPS:-/var/lib/coursewire-backups}
# A folder on another disk. It must exist, so that a disk that is not mounted is noticed.
copies=${COPIES:-/mnt/backups/coursewire}
days=${DAYS:-14}

name=$(date +%F-%H%M%S)
fail() {
  echo "coursewire-backup: $1" >&2
  exit 1
}

[ -d "$copies" ] || fail "there is no folder $copies: is the disk mounted?"
"$coursewire" backup --to "$backups/$name" || fail "the backup $backups/$name failed"
# Only a complete copy gets the name of a backup.
cp -R "$backups/$name" "$copies/$name.partial" || fail "$backups/$name could not be copied to $copies"
mv "$copies/$name.partial" "$copies/$name" || fail "$copies/$name.partial could not be renamed"
# The slash is for a folder that is a link, as systemd makes it.
for folder in "$backups/" "$copies/"; do
  find "$folder" -mindepth 1 -maxdepth 1 -name '20??-??-??-??????*' -mtime "+$days" -exec rm -r {} + ||
    fail "old backups in $folder could not be removed"
done
