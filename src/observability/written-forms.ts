/**
 * The forms of a value: plain, and as the usual languages write it in JSON, in a URL or form, and in HTML. For finding
 * secrets in the responses of targets.
 */
export function writtenForms(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value.toWellFormed());
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  // In most secrets, nothing needs to be escaped.
  const forms = new Set([value, json, url, form]);
  if (forms.size === 1 && !/[/!'()*]/.test(value)) return [value];
  const python = json.replace(NOT_ASCII, escaped);
  const dotNet = json.replace(NOT_ASCII_OR_MARKUP, (character) =>
    escaped(character).toUpperCase().replace('U', 'u'),
  );
  for (const text of [
    json.replaceAll('/', '\\/'),
    python,
    python.replaceAll('/', '\\/'),
    json.replace(MARKUP, escaped),
    json.replace(MARKUP_OF_GSON, escaped),
    dotNet,
    dotNet.replaceAll('\\"', '\\u0022'),
    ...[url, url.replace(RESERVED, percentEncoded)].flatMap((each) => [each, each.replaceAll('%2F', '/')]),
    form.replace(RESERVED, percentEncoded),
    ...SIGNS_IN_HTML.map((signs) => html(value, signs)),
  ])
    forms.add(text);
  for (const text of [...forms]) forms.add(text.replace(PERCENT, lowerCase));
  return [...forms];
}

/** Characters beyond ASCII, each UTF-16 code unit by itself, as JSON escapes them. */
const NOT_ASCII = /[\u0080-\uffff]/g;
const MARKUP = /[<>&]/g;
/** The characters that Gson escapes, a library of Java. */
const MARKUP_OF_GSON = /[<>&=']/g;
/** The characters that .NET escapes. */
const NOT_ASCII_OR_MARKUP = /[\u0080-\uffff<>&'+`]/g;
const PERCENT = /%[0-9A-F]{2}/g;
/** Characters that some languages leave unchanged in URLs, but PHP and Python encode. */
const RESERVED = /[!'()*]/g;
const MARKUP_AND_SIGNS = /[<>&"'`=+/]/g;
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** How browsers, PHP, Python and XML write quotation marks and apostrophes, and which signs others escape. */
const SIGNS_IN_HTML = [
  { '"': '"', "'": "'" },
  { '"': '&quot;', "'": "'" },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  // Go, without and with its package for templates
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  // ASP.NET Core
  { '"': '&quot;', "'": '&#x27;', '+': '&#x2B;', '`': '&#x60;' },
  // Handlebars, Mustache
  { '"': '&quot;', "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
  { '"': '&quot;', "'": '&#39;', '`': '&#x60;', '=': '&#x3D;', '/': '&#x2F;' },
];

function html(value: string, signs: Readonly<Record<string, string>>): string {
  const entities: Readonly<Record<string, string>> = { ...ENTITIES, ...signs };
  return value.replace(MARKUP_AND_SIGNS, (character) => entities[character] ?? character);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** A character (a UTF-16 code unit) in JSON. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}
