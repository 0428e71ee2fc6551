import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';
import { stop } from './programs.ts';
import { collectOutput, type InputSource, type Remote } from './remote.ts';

export const WEBKIT_DRIVER = 'WebKitWebDriver';
const START_MS = 120_000;
const START_POLL_MS = 100;
/** The member in which WebDriver passes a reference to an element. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Starts WebKitGTK's small browser through its driver, which speaks WebDriver. */
export async function startWebKit(display: string): Promise<Remote> {
  await using parts = new AsyncDisposableStack();
  const settings = mkdtempSync(path.join(tmpdir(), 'coursewire-webkit-'));
  parts.defer(() => rmSync(settings, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  // Moving elements are hard to click, so pages learn that the user prefers no animations.
  mkdirSync(path.join(settings, 'gtk-3.0'));
  writeFileSync(path.join(settings, 'gtk-3.0/settings.ini'), '[Settings]\ngtk-enable-animations=0\n');
  const port = await freePort();
  const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, DISPLAY: display, XDG_CONFIG_HOME: settings },
  });
  parts.defer(() => stop(driver));
  const output = collectOutput(driver.stdout, driver.stderr);
  const url = `http://127.0.0.1:${port}`;
  await answers(url, output);
  const { sessionId } = await command<{ sessionId: string }>('POST', `${url}/session`, {
    capabilities: { alwaysMatch: {} },
  });
  const session = `${url}/session/${sessionId}`;
  parts.defer(async () => {
    await command('DELETE', session).catch(() => {});
  });
  return new WebKit(session, parts.move());
}

class WebKit implements Remote {
  readonly #session: string;
  readonly #parts: AsyncDisposableStack;

  constructor(session: string, parts: AsyncDisposableStack) {
    this.#session = session;
    this.#parts = parts;
  }

  async open(url: string): Promise<void> {
    await command('POST', `${this.#session}/url`, { url });
  }

  async call(source: string, args: readonly unknown[]): Promise<unknown> {
    const { value, error } = await command<{ value?: string; error?: string }>(
      'POST',
      `${this.#session}/execute/async`,
      {
        script: `const done = arguments[arguments.length - 1];
          (async () => JSON.stringify((await (${source})(...${JSON.stringify(args)})) ?? null))()
            .then((value) => done({ value }), (error) => done({ error: String(error) }));`,
        args: [],
      },
    );
    if (error !== undefined) throw new Error(error);
    return JSON.parse(value ?? 'null');
  }

  async perform(sources: readonly InputSource[]): Promise<void> {
    await command('POST', `${this.#session}/actions`, { actions: sources });
  }

  async chooseFile(selector: string, file: string): Promise<void> {
    const element = await command<Record<string, string>>('POST', `${this.#session}/element`, {
      using: 'css selector',
      value: selector,
    });
    await command('POST', `${this.#session}/element/${element[ELEMENT]}/value`, { text: file });
  }

  async countWindows(): Promise<number> {
    return (await command<string[]>('GET', `${this.#session}/window/handles`)).length;
  }

  async resize(width: number, height: number): Promise<void> {
    // The space that the window needs around the page is known once the page has a size.
    for (let round = 0; round < 2; round++) {
      const inner = (await this.call('() => [innerWidth, innerHeight]', [])) as [number, number];
      const rect = await command<{ width: number; height: number }>('GET', `${this.#session}/window/rect`);
      await command('POST', `${this.#session}/window/rect`, {
        width: width + rect.width - inner[0],
        height: height + rect.height - inner[1],
      });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

/** Sends a command and returns its value. */
async function command<T>(method: string, url: string, body?: object): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

async function answers(url: string, output: () => string): Promise<void> {
  const end = performance.now() + START_MS;
  while (true) {
    try {
      await fetch(`${url}/status`);
      return;
    } catch (cause) {
      if (performance.now() > end) throw new Error(`WebKitWebDriver did not start: ${output()}`, { cause });
    }
    await pause(START_POLL_MS);
  }
}
