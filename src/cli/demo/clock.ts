/** An instant of the demo, as somebody sees it where they live. */
export interface LocalTime {
  /** 0 to 24. */
  readonly hour: number;
  readonly isWeekend: boolean;
}

/** The time by which simulated experts live. */
export interface DemoClock {
  localTime(zoneHours: number): LocalTime;
}

const MS_AN_HOUR = 3_600_000;
const TUESDAY_HOURS = 24;

/**
 * A week that begins on a Tuesday at this time of the day, and goes `speed` times as fast as ours: whenever a demo is
 * started somebody somewhere is at work, and people are seen to come and go.
 */
export function createDemoClock(speed: number): DemoClock {
  const startedMs = performance.now();
  const startHour = ((performance.timeOrigin + startedMs) / MS_AN_HOUR) % 24;
  return {
    localTime(zoneHours) {
      const passed = ((performance.now() - startedMs) / MS_AN_HOUR) * speed;
      const hours = TUESDAY_HOURS + startHour + passed + zoneHours;
      return { hour: ((hours % 24) + 24) % 24, isWeekend: Math.floor(hours / 24) % 7 >= 5 };
    },
  };
}

/** Whether a shift covers an hour of the day; one may go on past midnight. */
export function isInShift([from, to]: readonly [from: number, to: number], hour: number): boolean {
  return (hour >= from && hour < to) || hour + 24 < to;
}
