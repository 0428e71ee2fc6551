/** The members of an address that show another part of the same page: a tab, a folder or a form. */
interface Shown {
  tab?: unknown;
  folder?: unknown;
  add?: unknown;
  new?: unknown;
}

/** The part of a page that an address shows. Another part removes the dialogs of this one. */
export function viewIn({ tab, folder, add, new: form }: Shown): string {
  return JSON.stringify([tab, folder, add, form]);
}
