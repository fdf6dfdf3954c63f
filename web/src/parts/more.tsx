import { Button } from './button.js';

/** The rest of a long list, on request. */
export function More({
  isThere,
  isBusy,
  message,
  onMore,
}: {
  isThere: boolean;
  isBusy: boolean;
  message: string | undefined;
  onMore: () => void;
}) {
  return (
    <>
      {message ? <p className="fault">{message}</p> : null}
      {isThere ? (
        <p className="more">
          <Button onPress={onMore} isDisabled={isBusy}>
            {isBusy ? 'Loading …' : 'Show more'}
          </Button>
        </p>
      ) : null}
    </>
  );
}
