/** What the parts of a score weigh; see docs/dispatch.md. */
export interface Weights {
  /** A minute of travel. */
  readonly eta: number;
  /** A job that was taken today. */
  readonly fairness: number;
  /** A minute of slack, of a job of priority 5. */
  readonly slack: number;
}

/** Who may go, as far as hard filters tell. */
export interface Ranked {
  readonly etaSeconds: number;
  readonly jobsToday: number;
}

/** What the arrival is measured by. */
export interface Urgency {
  /** Until the arrival is late, from now. */
  readonly remainingSeconds: number;
  /** 1 to 10. */
  readonly priority: number;
}

/** The priority at which the weight of slack is as it stands. */
const COMMON_PRIORITY = 5;

/** How much time is left when somebody arrives, in seconds; below 0: they are late. */
export const slackSeconds = ({ etaSeconds }: Ranked, { remainingSeconds }: Urgency): number =>
  remainingSeconds - etaSeconds;

/** The score of a candidate: least wins. `w_eta · eta + w_fair · jobsToday − w_priority · slack`, in minutes. */
export function scoreOf(candidate: Ranked, urgency: Urgency, weights: Weights): number {
  const pressing = urgency.priority / COMMON_PRIORITY;
  return (
    weights.eta * minutes(candidate.etaSeconds) +
    weights.fairness * candidate.jobsToday -
    weights.slack * pressing * minutes(slackSeconds(candidate, urgency))
  );
}

const minutes = (seconds: number) => seconds / 60;
