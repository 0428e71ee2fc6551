import type { PointerEvent } from 'react';
import type { Minute } from '../../api/dashboard.ts';
import styles from './minute-bars.module.css';

/** A layer of the stacked bars, from the bottom. */
export interface BarPart {
  value: (minute: Minute) => number;
  tone: 'info' | 'good' | 'bad';
}

const HEIGHT = 100;
/** The fraction of a minute's width that a bar takes; the rest is the gap. */
const BAR_WIDTH = 0.72;
/** The minimum height of a bar, so that one failure among thousands is visible. */
const LEAST_HEIGHT = 3;

/** An hour as one bar per minute. For screen readers, it is an image that `summary` describes. */
export function MinuteBars({
  minutes,
  parts,
  summary,
  pointed,
  onPoint,
}: {
  minutes: readonly Minute[];
  parts: readonly BarPart[];
  summary: string;
  /** The hovered minute. */
  pointed: Minute | undefined;
  onPoint: (minute: Minute | undefined) => void;
}) {
  const highest = Math.max(1, highestOf(minutes, parts));
  const follow = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * minutes.length);
    onPoint(minutes[Math.min(minutes.length - 1, Math.max(0, index))]);
  };
  return (
    <svg
      role="img"
      aria-label={summary}
      className={styles.bars}
      viewBox={`0 0 ${minutes.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      onPointerMove={follow}
      onPointerDown={follow}
      onPointerLeave={() => onPoint(undefined)}
    >
      {pointed !== undefined && (
        <rect className={styles.pointed} x={minutes.indexOf(pointed)} y={0} width={1} height={HEIGHT} />
      )}
      {minutes.map((minute, index) => (
        <Bar key={minute.start_dt} minute={minute} index={index} parts={parts} highest={highest} />
      ))}
    </svg>
  );
}

function Bar({
  minute,
  index,
  parts,
  highest,
}: {
  minute: Minute;
  index: number;
  parts: readonly BarPart[];
  highest: number;
}) {
  let top = HEIGHT;
  return parts.map(({ value, tone }) => {
    const count = value(minute);
    if (count === 0) return null;
    const height = Math.max(LEAST_HEIGHT, (count / highest) * HEIGHT);
    top = Math.max(0, top - height);
    const x = index + (1 - BAR_WIDTH) / 2;
    return (
      <rect
        key={tone}
        className={styles.bar}
        data-tone={tone}
        x={x}
        y={top}
        width={BAR_WIDTH}
        height={height}
      />
    );
  });
}

/** The value of the highest bar. */
export function highestOf(minutes: readonly Minute[], parts: readonly BarPart[]): number {
  return Math.max(0, ...minutes.map((minute) => parts.reduce((sum, { value }) => sum + value(minute), 0)));
}
