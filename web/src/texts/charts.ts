/** Charts and the tables that show the same figures. */
export const charts = {
  view: 'View as',
  views: { chart: 'Chart', table: 'Table' },
  inFigures: (title: string) => `${title}, as a table`,
  from: 'From',
  timesIn: (zone: string) => `Times are in ${zone}.`,
} as const;
