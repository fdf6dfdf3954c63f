import { Button } from '../parts/button.js';

/** Takes a choice back that one need not make: by key, mouse and touch alike. */
export function TakeBack({
  isThere,
  what,
  onPress,
}: {
  isThere: boolean;
  what: string;
  onPress: () => void;
}) {
  return isThere ? (
    <Button look="quiet" aria-label={`Take back: ${what}`} onPress={onPress}>
      Take back
    </Button>
  ) : null;
}
