/** A name that is malicious as markup, with letters that are written from right to left and an emoji. */
export const HOSTILE = '<img src=x onerror=document.title=1> שלום 🚒';
