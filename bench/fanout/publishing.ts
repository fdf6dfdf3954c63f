import { itemOf, topicOf } from './wire.js';

const BEAT_MS = 20;

/** Publishes one item a second in each of TOPICS topics, evenly, as our sequencer's batches come. */
export function publishing(publish: (topic: string, item: Record<string, string>) => void): void {
  const topics = Number(process.env.TOPICS);
  const beganMs = performance.now();
  let done = 0;
  setInterval(() => {
    const due = Math.floor(((performance.now() - beganMs) / 1000) * topics);
    for (; done < due; done++) {
      publish(topicOf(done % topics), itemOf(done % topics, Math.floor(done / topics)));
    }
  }, BEAT_MS);
}
