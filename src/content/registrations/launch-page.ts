import { hash } from 'node:crypto';
import type { LearningStandard } from '../../course-packages/learning-standard.ts';
import type { FailurePage } from '../../http/problem-responses.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { LanguageChoice } from './equivalent-courses.ts';
import type { Launch } from './launch.ts';

/** A page for a learner's browser. */
export interface LaunchPage {
  status: 200 | 404 | 410;
  html: string;
}

const STANDARD_NAMES: Readonly<Record<LearningStandard, string>> = {
  SCORM_11: 'SCORM 1.1',
  SCORM_12: 'SCORM 1.2',
  SCORM_2004_2ND_EDITION: 'SCORM 2004, 2nd edition',
  SCORM_2004_3RD_EDITION: 'SCORM 2004, 3rd edition',
  SCORM_2004_4TH_EDITION: 'SCORM 2004, 4th edition',
  AICC: 'AICC',
  XAPI: 'xAPI',
  CMI5: 'cmi5',
  UNKNOWN: 'Unknown',
};

const ADVICE = 'Go back to where you found it and open the course from there again.';
/** The player keeps unsent work in the browser, and sends it at the next launch there. */
const KEPT_WORK = 'Use this browser: it may keep work of yours that is not saved yet.';

type Refused = Exclude<Launch['state'], 'open' | 'choose'>;

/** The text for each reason. */
const REFUSALS: Readonly<Record<Refused, Refusal>> = {
  invalid: {
    status: 404,
    heading: 'This link is not valid',
    text: `It may not have been copied completely. ${ADVICE}`,
  },
  expired: {
    status: 410,
    heading: 'This link has expired',
    text: `For your safety, a link opens a course only for a few hours. ${ADVICE}`,
  },
  outdated: {
    status: 410,
    heading: 'This link is out of date',
    text: `Your course was reset to another version after the link was created. ${ADVICE}`,
  },
  deleted: {
    status: 410,
    heading: 'This course is no longer available',
    text: 'Your registration was deleted after the link was created. If you still need the course, ask the people who gave you the link.',
  },
};

interface Refusal {
  status: 404 | 410;
  heading: string;
  text: string;
}

const STYLE = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1b1f24;--soft:#57606a;--line:#d8dee4;--accent:#0b57d0}
@media (prefers-color-scheme:dark){:root{--page:#0f1216;--card:#191d23;--text:#e8ebef;--soft:#a3adb8;--line:#313842;--accent:#8ab4ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100svh;display:grid;place-items:center;padding:1.5rem;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:34rem;padding:clamp(1.25rem,5vw,2.5rem);background:var(--card);border:1px solid var(--line);border-top:4px solid var(--accent);border-radius:.75rem}
h1{margin:0 0 .75rem;font-size:clamp(1.375rem,5vw,1.75rem);line-height:1.25;overflow-wrap:anywhere;text-wrap:balance}
p{margin:0;color:var(--soft);overflow-wrap:anywhere;text-wrap:pretty}
p a{color:var(--accent)}
dl{margin:1.5rem 0 0;border-top:1px solid var(--line)}
dl div{display:grid;grid-template-columns:9.5rem 1fr;gap:.125rem 1rem;padding:.625rem 0;border-bottom:1px solid var(--line)}
dl div:last-child{border-bottom:0;padding-bottom:0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
ul{margin:1rem 0 0;padding:0;list-style:none;display:grid;gap:.5rem}
li a{display:grid;gap:.125rem;padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem;color:inherit;text-decoration:none;overflow-wrap:anywhere}
li a:hover,li a:focus-visible{border-color:var(--accent)}
li b{color:var(--accent)}
li bdi{color:var(--soft)}
@media (max-width:30rem){body{padding:1rem;place-items:start stretch}dl div{grid-template-columns:1fr}}
`;

/**
 * Allows only the page's own style: no scripts and no images.
 * @param framedBy which pages may show it in a frame
 */
export function launchPagePolicy(framedBy: "'none'" | "'self'" = "'none'"): string {
  return `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors ${framedBy}`;
}

/**
 * The header fields of a page behind a launch URL.
 * @param framedBy which pages may show it in a frame
 */
export function launchPageHeaders(framedBy?: "'none'" | "'self'"): Record<string, string> {
  return {
    'Content-Security-Policy': launchPagePolicy(framedBy),
    'Cache-Control': 'no-store',
    // Anyone with the path can open the course, so no other site must learn it.
    'Referrer-Policy': 'no-referrer',
  };
}

/**
 * Explains to the learner why a link does not work.
 * @param wasOpen whether this browser has opened the course
 */
export function refusalPage(state: Refused, wasOpen = false): LaunchPage {
  const { status, heading, text } = REFUSALS[state];
  const words = wasOpen && state === 'expired' ? `${text} ${KEPT_WORK}` : text;
  return { status, html: page(heading, `<h1>${heading}</h1>\n<p>${words}</p>`) };
}

/**
 * The page for a learner whose course cannot be opened because the service fails or is busy.
 * @param framedBy which pages may show it in a frame
 */
export function failurePage(framedBy?: "'none'" | "'self'"): FailurePage {
  const heading = 'The course cannot be opened right now';
  return {
    headers: launchPageHeaders(framedBy),
    html: page(heading, `<h1>${heading}</h1>\n<p>Your earlier work is kept. Try again in a moment.</p>`),
  };
}

/** The page for a learner whose course leads to a file that it does not have. The name helps its author. */
export function missingFilePage(name: string): FailurePage {
  const heading = 'This page is missing';
  const file = `<bdi>${escapeHtml(name.toWellFormed())}</bdi>`;
  return {
    headers: launchPageHeaders("'self'"),
    html: page(
      heading,
      `<h1>${heading}</h1>\n<p>The course has no file named “${file}”. Please tell whoever gave you the course.</p>`,
    ),
  };
}

/**
 * The page for a learner whose course has left the player.
 * @param options.returnUrl the page that the launch returns to; null for none
 * @param options.script shows the link, or follows it if it has `data-leaves`
 */
export function leftPage({
  returnUrl,
  playerUrl,
  script,
}: {
  returnUrl: string | null;
  playerUrl: string;
  script: string;
}): string {
  const heading = 'You have left the course';
  const link =
    returnUrl === null
      ? `<a href="${playerUrl}" hidden>Back to the course</a>`
      : `<a href="${escapeHtml(returnUrl)}" data-leaves hidden>Continue</a>`;
  const body = `<h1>${heading}</h1>\n<p>You can close this window. ${link}</p>`;
  return page(heading, `${body}\n<script>${script}</script>`);
}

/** Lets the learner choose the language of an equivalent. Each language has its native name. */
export function languagePage(choices: readonly LanguageChoice[]): LaunchPage {
  const links = choices.map(({ language, courseName }) => {
    const tag = escapeHtml(language);
    const href = escapeHtml(`?language=${encodeURIComponent(language)}`);
    return `<li lang="${tag}"><a href="${href}" hreflang="${tag}"><b>${escapeHtml(nameOfLanguage(language))}</b> <bdi>${escapeHtml(courseName)}</bdi></a></li>`;
  });
  const heading = 'Choose your language';
  return { status: 200, html: page(heading, `<h1>${heading}</h1>\n<ul>\n${links.join('\n')}\n</ul>`) };
}

function nameOfLanguage(language: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  } catch {
    return language;
  }
}

/** The page behind a launch URL of a course whose standard has no player yet. */
export function launchPage(launch: Extract<Launch, { state: 'open' }>): LaunchPage {
  const name = escapeHtml(launch.courseName);
  const rows = [
    ['Learner', `<bdi>${escapeHtml(launch.learnerId)}</bdi>`],
    ['Version', String(launch.versionId)],
    ['Learning standard', escapeHtml(nameOfStandard(launch.learningStandard))],
    ['Link valid until', momentElement(launch.expiresAt)],
  ].map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`);
  const body = `<h1><bdi>${name}</bdi></h1>
<p>Your link is valid. Courses of this standard cannot be played here yet. Your course:</p>
<dl>
${rows.join('\n')}
</dl>`;
  return { status: 200, html: page(name, body) };
}

/** `title` and `body` are HTML. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

function momentElement(epochMs: number): string {
  const text = new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(epochMs);
  return `<time datetime="${formatDateTime(epochMs)}">${text} UTC</time>`;
}

function nameOfStandard(standard: string): string {
  return STANDARD_NAMES[standard as LearningStandard] ?? standard;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
