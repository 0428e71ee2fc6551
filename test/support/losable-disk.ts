import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { MIB } from '../../src/bytes.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

const run = promisify(execFile);
/** The kernel writes the journal by itself every few seconds, which would save unsynced data. */
const MOUNT_OPTIONS = 'loop,commit=300';
/**
 * `EXT4_IOC_SHUTDOWN` with `NOLOGFLUSH`, which tests of file systems use in place of a power failure. From this call
 * on, nothing reaches the disk, and data that the kernel had not written is lost. Node has no `ioctl`; perl is in every
 * Debian. It waits for a line, because starting it takes longer than a program needs to sync its latest changes.
 */
const SHUT_DOWN = `use Fcntl;
sysopen(my $folder, $ARGV[0], O_RDONLY) or die "open: $!";
$| = 1;
print "ready";
defined(<STDIN>) or exit;
ioctl($folder, 0x8004587D, my $flags = pack("L", 2)) or die "ioctl: $!";`;

/** A separate file system that can lose its power. */
export interface LosableDisk extends AsyncDisposable {
  /** A folder on it. */
  readonly folder: string;
  /**
   * Drops unsynced data, as a power failure would. Nothing can use the disk until {@link mountAgain}.
   *
   * It does not model a disk that loses data which it reported as written, or that reorders writes.
   */
  losePower(): Promise<void>;
  /** Mounts the disk again. The programs that used it must have ended. */
  mountAgain(): Promise<void>;
}

/** Cuts the power of a mounted disk immediately. */
class PowerSwitch implements AsyncDisposable {
  readonly #perl: ChildProcess;
  readonly #closed: Promise<unknown[]>;
  readonly #errors: Promise<string>;

  private constructor(place: string) {
    const perl = spawn('perl', ['-e', SHUT_DOWN, place], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#perl = perl;
    this.#closed = once(perl, 'close');
    this.#errors = text(perl.stderr);
  }

  static async of(place: string): Promise<PowerSwitch> {
    const created = new PowerSwitch(place);
    await Promise.race([once(created.#perl.stdout!, 'data'), created.#fail()]);
    return created;
  }

  async turnOff(): Promise<void> {
    this.#perl.stdin!.write('now\n');
    const [code] = await this.#closed;
    if (code !== 0) throw new Error(`perl: ${await this.#errors}`);
  }

  async #fail(): Promise<never> {
    await this.#closed;
    throw new Error(`perl: ${await this.#errors}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#perl.stdin!.end();
    await this.#closed;
  }
}

/** Mounts a disk, or says in a sentence why that is not possible here: it needs root on Linux, ext4, a loop device and perl. */
export async function mountLosableDisk(mebibytes: number): Promise<LosableDisk | string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'Only root on Linux can mount a disk that loses what was not synced.';
  await using stack = new AsyncDisposableStack();
  const parent = stack.use(temporaryFolder()).path;
  const image = path.join(parent, 'image');
  const place = path.join(parent, 'disk');
  // A database server may run as another user.
  chmodSync(parent, 0o755);
  mkdirSync(place);
  writeFileSync(image, '');
  truncateSync(image, mebibytes * MIB);
  let power: PowerSwitch | null = null;
  const mount = async () => {
    await run('mount', ['-t', 'ext4', '-o', MOUNT_OPTIONS, image, place]);
    power = await PowerSwitch.of(place);
  };
  const disk: Pick<LosableDisk, 'losePower' | 'mountAgain'> = {
    losePower: async () => await power?.turnOff(),
    async mountAgain() {
      await unmount(place);
      await mount();
    },
  };
  try {
    await run('mkfs.ext4', ['-q', '-F', image]);
    await mount();
    // Lazily: a program that was killed may not have released its files yet.
    stack.defer(async () => void (await run('umount', ['--lazy', place])));
    stack.defer(async () => await power?.[Symbol.asyncDispose]());
    await assertDropsUnsynced(place, disk);
  } catch (error) {
    return `No disk that loses what was not synced can be mounted here: ${error instanceof Error ? error.message : error}`;
  }
  const folder = path.join(place, 'data');
  mkdirSync(folder);
  await sync(place);
  const mounted = stack.move();
  return { ...disk, folder, [Symbol.asyncDispose]: () => mounted.disposeAsync() };
}

/** Verifies that the disk keeps synced data, and loses the rest. */
async function assertDropsUnsynced(
  place: string,
  disk: Pick<LosableDisk, 'losePower' | 'mountAgain'>,
): Promise<void> {
  const synced = path.join(place, 'synced');
  const unsynced = path.join(place, 'unsynced');
  writeFileSync(synced, 'kept', { flush: true });
  await sync(place);
  writeFileSync(unsynced, 'lost');
  await disk.losePower();
  await disk.mountAgain();
  if (readFileSync(synced, 'utf8') !== 'kept') throw new Error('it lost what was synced');
  if (existsSync(unsynced)) throw new Error('it kept what was not synced');
  rmSync(synced);
}

async function sync(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/** A program that has just ended may not have released its files yet. */
async function unmount(place: string): Promise<void> {
  await until(
    () =>
      run('umount', [place]).then(
        () => true,
        () => false,
      ),
    'the disk is no longer in use',
  );
}
