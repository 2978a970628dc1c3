/** A panel of a dashboard of Grafana, as far as it is checked. */
export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: unknown;
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
}

/** The queries of a panel. */
export function expressionsOf({ targets = [] }: Panel): string[] {
  return targets.map(({ expr }) => expr);
}
