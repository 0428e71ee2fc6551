import { KIB } from '../../../src/bytes.ts';

const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `12,345` */
export function formatNumber(value: number): string {
  return whole.format(value);
}

/** `12.3K`, for places where the exact count does not matter. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** `99.4%`. Only a whole is shown as 100 %, and only nothing as 0 %. */
export function formatShare(value: number): string {
  return share.format(value > 0 && value < 1 ? Math.min(0.999, Math.max(0.001, value)) : value);
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
/** From here on, a size rounds to at least 100, which is shown without tenths. */
const MIN_WITHOUT_TENTHS = 99.95;

/** `1.4 MB` */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let exponent = 0;
  // Rounded before the unit is chosen: a byte less than a megabyte is not 1024 KB.
  while (Math.round(value) >= KIB && exponent < BYTE_UNITS.length - 1) {
    value /= KIB;
    exponent++;
  }
  const isWhole = exponent === 0 || value >= MIN_WITHOUT_TENTHS;
  return `${value.toFixed(isWhole ? 0 : 1)} ${BYTE_UNITS[exponent]}`;
}
