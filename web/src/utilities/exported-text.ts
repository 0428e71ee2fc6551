/**
 * The places where a spreadsheet may see the start of a formula: the start of a text and, if it separates cells by
 * semicolons or tabs, the places behind these and behind line breaks. Quotation marks in the middle of a cell protect
 * nothing there. Text with apostrophes there gets another one, so that {@link textOf} finds the original.
 */
const FORMULA = /^(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?='*"*[=+\-@＝＋－＠])/g;
/** The apostrophes that are added. */
const ADDED = /^'(?='*[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])'(?='*"*[=+\-@＝＋－＠])/g;

/** A text as it is exported: with an apostrophe wherever a spreadsheet would run a formula. */
export function asText(text: string): string {
  return text.replace(FORMULA, "'");
}

/** The original of an exported text, without the apostrophes that were added. */
export function textOf(exported: string): string {
  return exported.replace(ADDED, '');
}
