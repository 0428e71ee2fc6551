/**
 * Fails if package-lock.json lacks the package of a platform, or contains a package without a hash. `npm install` omits
 * packages that the registry does not offer, and `npm ci` then fails on the platforms that need them. Without a hash,
 * `npm ci` does not verify the download. Another lockfile may be given as an argument.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface LockedPackage {
  integrity?: string;
  /** A link to a folder of this checkout. */
  link?: boolean;
  /** Bundled in the package that contains it. */
  inBundle?: boolean;
  optionalDependencies?: Record<string, string>;
}

const IN_REGISTRY = /(?:^|\/)node_modules\//;

const file = process.argv[2] ?? fileURLToPath(new URL('../package-lock.json', import.meta.url));
const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };

const missing = Object.values(packages)
  .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
  .filter((name) => !Object.keys(packages).some((place) => place.endsWith(`node_modules/${name}`)));
const withoutHash = Object.entries(packages)
  .filter(([place, { integrity, link, inBundle }]) => {
    const isDownloaded = IN_REGISTRY.test(place) && link !== true && inBundle !== true;
    return isDownloaded && !integrity;
  })
  .map(([place]) => place.replace(/^.*node_modules\//, ''));

const faults = [
  ...(missing.length > 0 ? [`lacks ${missing.join(', ')}`] : []),
  ...(withoutHash.length > 0 ? [`has no hash of ${withoutHash.join(', ')}`] : []),
];
if (faults.length > 0) {
  console.error(`package-lock.json ${faults.join(', and ')}; see CONTRIBUTING.md`);
  process.exitCode = 1;
}
