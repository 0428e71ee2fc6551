/**
 * `npm install` writes only those platforms' packages into package-lock.json that the registry at hand offers, and
 * `npm ci` then refuses the lockfile wherever the others are asked for. This adds what is missing, without hashes:
 * they are not known here. `--check` changes nothing and ends with 1 while something is missing. A file may be given in
 * place of this checkout's.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

interface LockedPackage {
  version: string;
  dev?: boolean;
  license?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  engines?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const file = positionals[0] ?? fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };

const missing = Object.values(lock.packages).flatMap((owner) =>
  Object.entries(owner.optionalDependencies ?? {}).flatMap(([name, version]) =>
    lock.packages[`node_modules/${name}`] === undefined ? [{ owner, name, version }] : [],
  ),
);

if (missing.length > 0 && values.check) {
  console.error(
    `package-lock.json lacks ${missing.map(({ name }) => name).join(', ')}; run "npm run lockfile"`,
  );
  process.exitCode = 1;
} else if (missing.length > 0) {
  for (const { owner, name, version } of missing) {
    lock.packages[`node_modules/${name}`] = platformPackage(owner, name, version);
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
  console.log(`added ${missing.map(({ name }) => name).join(', ')}`);
}

/** Such packages are named after their platform: `…-OS-CPU`, and a C library or ABI where that matters. */
function platformPackage(owner: LockedPackage, name: string, version: string): LockedPackage {
  const [, os, cpu, abi] =
    /-(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-([a-z0-9]+)(?:-(musl|musleabihf|gnu|gnueabihf|eabi|androideabi|msvc))?$/.exec(
      name,
    ) ?? [];
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not tell its platform`);
  return {
    version,
    cpu: [cpu],
    ...(owner.dev === true ? { dev: true } : {}),
    ...(abi?.startsWith('musl') === true ? { libc: ['musl'] } : {}),
    ...(abi === 'gnu' && os === 'linux' ? { libc: ['glibc'] } : {}),
    ...(owner.license === undefined ? {} : { license: owner.license }),
    optional: true,
    os: [os],
    ...(owner.engines === undefined ? {} : { engines: owner.engines }),
  };
}
