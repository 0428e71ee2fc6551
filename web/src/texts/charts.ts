/** Charts and the tables that show the same. */
export const charts = {
  view: 'Shown as',
  views: { chart: 'Chart', table: 'Table' },
  inFigures: (title: string) => `${title}, in figures`,
  from: 'From',
  timesIn: (zone: string) => `Times are in ${zone}.`,
} as const;
