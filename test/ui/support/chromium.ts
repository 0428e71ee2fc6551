import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const NODE_MODULES = path.join(import.meta.dirname, '../../../node_modules');
const CACHE = path.join(NODE_MODULES, '.cache');

/** Names a Chromium to test with, for machines that the package's browser does not run on. */
export const BROWSER_VARIABLE = 'COURSEWIRE_TEST_CHROMIUM';

/** Makes no connections except to the page under test. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages live for seconds, so optimizing their code, and compiling and collecting garbage in parallel, cost more than they save.
  // The next page in the window uses what was compiled.
  '--js-flags=--single-threaded --no-opt --no-maglev --no-flush-bytecode',
];

/**
 * Starts the browser that the tests use: the one named by `COURSEWIRE_TEST_CHROMIUM`, else the one that came with the
 * dependencies.
 *
 * @param options how it is started, in addition to what the tests need
 * @throws {Error} on a machine that the latter does not run on, with how to name another.
 */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const named = process.env[BROWSER_VARIABLE];
  if (named !== undefined) return await chromium.launch({ ...options, executablePath: named, args: FLAGS });
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `The browser that npm brings for these tests runs on Linux x64 only. Set ${BROWSER_VARIABLE} to the path of a Chrome or Chromium of this machine.`,
    );
  }
  const folder = unpackChromium();
  const env = {
    ...process.env,
    FONTCONFIG_FILE: path.join(folder, 'fonts.conf'),
    XDG_CACHE_HOME: path.join(folder, 'cache'),
  };
  const unpacked = { ...options, executablePath: path.join(folder, 'chromium'), args: FLAGS, env };
  try {
    return await chromium.launch(unpacked);
  } catch (error) {
    if (!/shared librar/i.test(String(error))) throw error;
    // A stock system lacks libraries that the package brings. Where the machine has them, its own are used.
    const libraries = path.join(folder, 'al2023', 'lib');
    return await chromium.launch({ ...unpacked, env: { ...env, LD_LIBRARY_PATH: libraries } });
  }
}

/** The folder of the unpacked browser; unpacks it at the first use. Several processes may do so at once. */
export function unpackChromium(): string {
  const { version } = JSON.parse(
    readFileSync(path.join(NODE_MODULES, '@sparticuz/chromium/package.json'), 'utf8'),
  );
  const folder = path.join(CACHE, `chromium-${version}-fonts`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(path.join(CACHE, 'unpacking-'));
  try {
    // The package unpacks into the folder for temporary files, and its libraries only where it finds itself on AWS.
    execFileSync(
      process.execPath,
      ['--input-type=module', '-e', "await (await import('@sparticuz/chromium')).default.executablePath()"],
      {
        cwd: import.meta.dirname,
        env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
      },
    );
    writeFileSync(path.join(fresh, 'fonts.conf'), FONT_CONFIGURATION);
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/**
 * The fonts that the browser brings, and no others: pages have the same measures on every machine. The package's own
 * configuration looks for them under /tmp, and without any font the browser ends at the first text.
 */
const FONT_CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
