import { posix } from 'node:path';
import type { CourseFiles } from '../course-files.ts';
import { isShown } from '../media-types.ts';
import type { LaunchTarget } from '../package-description.ts';
import { packageError, quoted } from '../package-error.ts';

/** Characters that browsers and servers handle everywhere. */
const LAUNCH_CHARACTERS = 2048;

const ANY_SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const WEB_SCHEME = /^https?:/i;

/** What a unit opens, as written in the manifest. */
export interface LaunchReference {
  /** The unit's id or title, for errors. */
  readonly unit: string;
  readonly href: string | null;
  /** `xml:base` of the enclosing elements, outermost first. */
  readonly bases?: readonly (string | null)[];
  /** Parameters that the manifest adds to the address: `parameters` of a SCORM item, `Web_Launch` of an AICC unit. */
  readonly parameters?: string | null;
}

interface Address {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/**
 * Resolves a reference in a manifest to a file of the package or a web address.
 *
 * @throws {PackageError} LAUNCH_INVALID, LAUNCH_FILE_MISSING
 */
export function resolveLaunchTarget(course: CourseFiles, reference: LaunchReference): LaunchTarget {
  const href = withBases(reference.href?.trim() ?? '', reference.bases ?? []);
  const parameters = reference.parameters?.trim() ?? '';
  const invalid = (reason: string) =>
    packageError('LAUNCH_INVALID', { unit: reference.unit, launch: href, reason });

  if (href === '') throw invalid('it does not name a file');
  if (href.length + parameters.length > LAUNCH_CHARACTERS) {
    throw invalid(`it has more than ${LAUNCH_CHARACTERS} characters`);
  }
  const address = withParameters(splitAddress(href), parameters);
  if (WEB_SCHEME.test(href)) {
    const url = webAddress(address);
    if (url === null) throw invalid('it is not a web address that can be opened');
    if (!course.isManifestAlone) {
      course.warn(
        `The unit ${quoted(reference.unit)} opens ${quoted(url)}, which is outside the package. What it shows and ` +
          'reports is up to that site.',
      );
    }
    return { kind: 'external', url };
  }
  if (ANY_SCHEME.test(href)) throw invalid('only files of the course, http and https can be opened');

  // Some authoring tools on Windows write file paths where the standard requires a URL.
  const path = address.path.replaceAll('\\', '/');
  if (path.startsWith('/')) throw invalid('it starts with "/", but paths are relative to the manifest');
  const asWritten = posix.normalize(path);
  const decoded = posix.normalize(percentDecoded(path));
  if ([asWritten, decoded].some((candidate) => candidate.split('/')[0] === '..')) {
    throw invalid('it leads outside the course');
  }
  // Each search may warn, so the decoded name is searched only if there is no file of the other one.
  const file = course.find(asWritten) ?? course.find(decoded);
  if (file === null) throw packageError('LAUNCH_FILE_MISSING', { unit: reference.unit, launch: href });
  if (!isShown(file)) {
    course.warn(
      `The unit ${quoted(reference.unit)} opens the file ${quoted(file)}. By its name, browsers download it instead of ` +
        'showing it. The name of a page must end in .html. Programs such as .php are not run.',
    );
  }

  const { search: query, hash: fragment } = new URL(`http://course/${address.query}${address.fragment}`);
  return { kind: 'file', file, query, fragment };
}

/** Every base is a folder, with or without a trailing `/` (SCORM requires it, authors forget it). */
function withBases(href: string, bases: readonly (string | null)[]): string {
  if (href === '') return '';
  return bases.reduceRight<string>((path, base) => {
    if (base === null || ANY_SCHEME.test(path) || path.startsWith('/')) return path;
    return base.endsWith('/') ? base + path : `${base}/${path}`;
  }, href);
}

function splitAddress(href: string): Address {
  const hash = href.indexOf('#');
  const beforeFragment = hash < 0 ? href : href.slice(0, hash);
  const mark = beforeFragment.indexOf('?');
  return {
    path: mark < 0 ? beforeFragment : beforeFragment.slice(0, mark),
    query: mark < 0 ? '' : beforeFragment.slice(mark),
    fragment: hash < 0 ? '' : href.slice(hash),
  };
}

/**
 * Adds launch parameters as the SCORM 2004 Content Aggregation Model describes for the `parameters` of an item. AICC's
 * `Web_Launch` means the same.
 */
function withParameters(address: Address, parameters: string): Address {
  const added = parameters.replace(/^[?&]+/, '');
  if (added === '') return address;
  if (added.startsWith('#')) return address.fragment === '' ? { ...address, fragment: added } : address;
  return { ...address, query: `${address.query === '' ? '?' : `${address.query}&`}${added}` };
}

function webAddress({ path, query, fragment }: Address): string | null {
  const url = URL.parse(path + query + fragment);
  return url === null || url.username !== '' || url.password !== '' ? null : url.href;
}

function percentDecoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
