import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import type { MouseEvent } from 'react';
import { shared } from '../texts/shared.ts';

const wire: MantineColorsTuple = [
  '#eef4fe',
  '#dbe6fb',
  '#b6cbf5',
  '#8eaeee',
  '#6b94e6',
  '#4a7adb',
  '#3163c9',
  '#2450a8',
  '#1d4188',
  '#17336a',
];

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#eff1f4',
  '#e4e7ec',
  '#d3d8e0',
  '#b3bac6',
  '#868fa0',
  '#5f6878',
  '#464e5c',
  '#2f3541',
  '#1b1f27',
];

const dark: MantineColorsTuple = [
  '#d9dde5',
  '#b8bfcb',
  '#99a2b2',
  '#6d7585',
  '#3a414d',
  '#2d333e',
  '#20252e',
  '#15181e',
  '#101318',
  '#0b0d11',
];

const red: MantineColorsTuple = [
  '#fdecea',
  '#fad5d1',
  '#f4aaa3',
  '#ee7d73',
  '#e6584b',
  '#da3a2c',
  '#c62c1f',
  '#b42318',
  '#931c13',
  '#74160f',
];

const SYSTEM_FONT =
  'system-ui, -apple-system, "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", "Open Sans", Ubuntu, Cantarell, ' +
  '"Helvetica Neue", Arial, sans-serif, "Apple Color Emoji", "Segoe UI Emoji"';
const SYSTEM_MONOSPACE =
  'ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", Menlo, Consolas, "Roboto Mono", "DejaVu Sans Mono", monospace';

/** An icon alone has no name for screen readers. */
const CLOSE = { 'aria-label': shared.close };

/** The theme: colours, type and the defaults of components. Contrast meets WCAG AA in both colour schemes. */
export const theme = createTheme({
  colors: { wire, gray, dark, red },
  primaryColor: 'wire',
  primaryShade: { light: 7, dark: 6 },
  white: '#ffffff',
  black: '#1b1f27',
  fontFamily: SYSTEM_FONT,
  fontFamilyMonospace: SYSTEM_MONOSPACE,
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.5', md: '1.5', lg: '1.5', xl: '1.4' },
  headings: {
    fontFamily: SYSTEM_FONT,
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.45' },
    },
  },
  defaultRadius: 'sm',
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.5rem', lg: '0.75rem', xl: '1rem' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: {
      defaultProps: { size: 'sm', visibilityToggleButtonProps: { 'aria-label': shared.showPassword } },
    },
    Textarea: { defaultProps: { size: 'sm', autosize: true, minRows: 2 } },
    Select: { defaultProps: { size: 'sm', checkIconPosition: 'right', allowDeselect: false } },
    InputWrapper: {
      vars: () => ({
        label: {},
        description: { '--input-description-size': '0.75rem' },
        error: { '--input-error-size': '0.75rem' },
      }),
    },
    Modal: {
      defaultProps: {
        closeButtonProps: CLOSE,
        centered: true,
        radius: 'lg',
        padding: 'lg',
        overlayProps: { backgroundOpacity: 0.4 },
        // The space of the scrollbar is reserved anyway; otherwise, the page would jump.
        removeScrollProps: { removeScrollBar: false },
      },
    },
    Drawer: {
      defaultProps: {
        closeButtonProps: CLOSE,
        overlayProps: { backgroundOpacity: 0.4 },
        removeScrollProps: { removeScrollBar: false },
      },
    },
    Notification: { defaultProps: { closeButtonProps: CLOSE } },
    Tooltip: {
      defaultProps: { withArrow: true, openDelay: 250, events: { hover: true, focus: true, touch: true } },
    },
    Anchor: { defaultProps: { underline: 'hover' } },
    // Kept within the window, because a button at its edge counts as hidden.
    Menu: { defaultProps: { shadow: 'md', radius: 'md', position: 'bottom-end', hideDetached: false } },
    MenuDropdown: { defaultProps: { onClickCapture: focusMenuButton } },
    Table: { defaultProps: { verticalSpacing: 'xs', horizontalSpacing: 'md' } },
  },
});

/** Additional colours, under `--cw-…`: surfaces, hairlines, borders of inputs, the ring around what has the focus, and the tones of states. */
export const cssVariables: CSSVariablesResolver = (of) => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1b1f27',
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': '#697283',
    '--mantine-color-error': red[7],
    '--mantine-color-anchor': wire[7],
    '--mantine-color-default-border': gray[3],
    '--cw-page': '#ffffff',
    '--cw-sidebar': gray[0],
    '--cw-surface': '#ffffff',
    '--cw-raised': gray[0],
    '--cw-hover': gray[1],
    '--cw-hairline': gray[2],
    '--cw-control': gray[5],
    '--cw-focus': wire[7],
    '--cw-selected': wire[1],
    '--cw-selected-text': of.colors.wire?.[8] ?? wire[8],
    '--cw-good': '#0b6b4f',
    '--cw-good-soft': '#e2f4ec',
    '--cw-warn': '#834700',
    '--cw-warn-soft': '#fdf0d9',
    '--cw-bad': '#a92015',
    '--cw-bad-soft': '#fdecea',
    '--cw-info': wire[8],
    '--cw-info-soft': wire[0],
    '--cw-quiet': gray[7],
    '--cw-quiet-soft': gray[1],
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#8b94a4',
    '--mantine-color-error': '#ff9a90',
    '--mantine-color-anchor': '#9dbaf3',
    '--mantine-color-default-border': dark[4],
    '--cw-page': dark[7],
    '--cw-sidebar': dark[8],
    '--cw-surface': '#1a1e26',
    '--cw-raised': '#1a1e26',
    '--cw-hover': '#20252e',
    '--cw-hairline': '#282d37',
    '--cw-control': dark[3],
    '--cw-focus': wire[4],
    '--cw-selected': '#1d2b48',
    '--cw-selected-text': '#c3d5fa',
    '--cw-good': '#6fd3ad',
    '--cw-good-soft': '#12302a',
    '--cw-warn': '#f1bd6b',
    '--cw-warn-soft': '#35280f',
    '--cw-bad': '#ff9a90',
    '--cw-bad-soft': '#3c1c1b',
    '--cw-info': '#a9c3f6',
    '--cw-info-soft': '#1b2740',
    '--cw-quiet': dark[1],
    '--cw-quiet-soft': '#252a33',
  },
});

/**
 * A dialog that an item opens returns the focus to what had it before: the item is gone by then, the button of its menu
 * is not.
 */
function focusMenuButton({ target, currentTarget: menu }: MouseEvent<HTMLElement>): void {
  if (!(target instanceof Element) || target.closest('[data-menu-item]') === null) return;
  document.getElementById(menu.getAttribute('aria-labelledby') ?? '')?.focus({ preventScroll: true });
}
