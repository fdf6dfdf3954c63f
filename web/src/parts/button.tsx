import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';

interface ButtonProps extends Omit<AriaButtonProps, 'className'> {
  readonly look?: 'plain' | 'main' | 'quiet' | 'danger';
  /** The key that does the same, shown on it. */
  readonly hint?: string | undefined;
}

export function Button({ look = 'plain', hint, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={`button button-${look}`}>
      {(state) => (
        <>
          {typeof children === 'function' ? children({ ...state, defaultChildren: null }) : children}
          {hint ? (
            <span className="key" aria-hidden="true">
              {hint}
            </span>
          ) : null}
        </>
      )}
    </AriaButton>
  );
}
