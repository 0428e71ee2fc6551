import { Worker } from 'node:worker_threads';
import { compileCache } from '../../compile-cache.ts';
import { FairSlots } from '../../fair-slots.ts';
import { PackageError, packageError } from '../package-error.ts';
import type { ManifestRequest, ManifestResult, ReadManifest } from './manifest-messages.ts';

/** Number of threads. A caller uses at most one, so that a malicious course does not block the imports of others. */
const THREADS = 2;
/** Maximum time for reading a manifest. The largest accepted ones take about 2 s. */
const DEADLINE_MS = 20_000;
/** Memory of a thread for objects: the largest accepted XML takes a third of it, the largest AICC tables three quarters. */
const MEMORY_MIB = 128;
const YOUNG_MEMORY_MIB = 4;
const STACK_MIB = 4;
/** How long an idle thread is kept, because one import often follows another. */
const IDLE_MS = 10_000;

/**
 * Reads manifests on separate threads. A malicious manifest can keep its reader busy or fill its memory. Its thread is
 * then ended and the package rejected, and nothing else waits for it.
 */
export class ManifestReader implements AsyncDisposable {
  readonly #deadlineMs: number;
  readonly #memoryMiB: number;
  readonly #idleMs: number;
  readonly #slots = new FairSlots(THREADS);
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #all = new Set<Worker>();

  constructor({ deadlineMs = DEADLINE_MS, memoryMiB = MEMORY_MIB, idleMs = IDLE_MS } = {}) {
    this.#deadlineMs = deadlineMs;
    this.#idleMs = idleMs;
    this.#memoryMiB = memoryMiB;
  }

  /**
   * Reads one manifest when it is the caller's turn.
   *
   * @param caller the owner of the package; callers take turns
   * @throws {PackageError} if the package is at fault; also MANIFEST_TOO_SLOW and MANIFEST_TOO_COMPLEX
   * @throws {NodeJS.ErrnoException} if the machine is at fault
   * @throws the reason of `signal`
   */
  async read(request: ManifestRequest, caller: string, signal: AbortSignal): Promise<ReadManifest> {
    using _slot = await this.#slots.take(signal, caller);
    const result = await this.#ask(request, signal);
    if (result.kind === 'read') return result.manifest;
    if (result.kind === 'refused') throw new PackageError(result.code, result.message);
    const error = new Error(result.message) as NodeJS.ErrnoException;
    if (result.code !== null) error.code = result.code;
    if (result.stack !== null) error.stack = result.stack;
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.terminate()));
  }

  async #ask(request: ManifestRequest, signal: AbortSignal): Promise<ManifestResult> {
    signal.throwIfAborted();
    const thread = this.#takeThread();
    const { promise, resolve, reject } = Promise.withResolvers<ManifestResult>();
    const leave = () => reject(signal.reason);
    const timer = setTimeout(
      () => reject(packageError('MANIFEST_TOO_SLOW', { seconds: Math.ceil(this.#deadlineMs / 1_000) })),
      this.#deadlineMs,
    );
    const failed = (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? packageError('MANIFEST_TOO_COMPLEX', { file: 'manifest' }, { cause: error })
          : error,
      );
    const ended = () => reject(new Error('the thread that reads manifests has ended'));
    thread.once('message', resolve);
    thread.once('error', failed);
    thread.once('exit', ended);
    signal.addEventListener('abort', leave, { once: true });
    try {
      thread.postMessage(request);
      const result = await promise;
      this.#giveBack(thread);
      return result;
    } catch (error) {
      void thread.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      thread.off('message', resolve);
      thread.off('error', failed);
      thread.off('exit', ended);
    }
  }

  #takeThread(): Worker {
    const [waiting] = this.#idle;
    if (waiting === undefined) return this.#start();
    const [thread, timer] = waiting;
    clearTimeout(timer);
    this.#idle.delete(thread);
    thread.ref();
    return thread;
  }

  /** An idle thread does not keep the process running. */
  #giveBack(thread: Worker): void {
    thread.unref();
    const end = () => {
      // Removed at once: the thread takes a moment to end, and must get no more work.
      this.#idle.delete(thread);
      void thread.terminate();
    };
    this.#idle.set(thread, setTimeout(end, this.#idleMs).unref());
  }

  #start(): Worker {
    const thread = new Worker(new URL('./manifest-thread.ts', import.meta.url), {
      name: 'manifests',
      execArgv: [],
      env: compileCache(),
      resourceLimits: {
        maxOldGenerationSizeMb: this.#memoryMiB,
        maxYoungGenerationSizeMb: YOUNG_MEMORY_MIB,
        stackSizeMb: STACK_MIB,
      },
    });
    this.#all.add(thread);
    this.#watch(thread);
    return thread;
  }

  #watch(thread: Worker): void {
    const forget = () => {
      clearTimeout(this.#idle.get(thread));
      this.#idle.delete(thread);
      this.#all.delete(thread);
    };
    // While the thread is idle, there is no other listener, and an error without a listener ends the process.
    thread.on('error', forget);
    thread.on('exit', forget);
  }
}
