import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from './texts';

const listeners = new Set<() => void>();
/** Set by a navigation until the heading of the new page takes the focus. */
let headingWanted = false;
let projectName = 'Herald';

/** Of the page that is shown, for when leaving it is refused. */
let shownUrl = currentUrl();

function currentUrl(): string {
  return location.pathname + location.search;
}

window.addEventListener('popstate', () => {
  const target = currentUrl();
  if (asksFirst(() => enter(target))) {
    history.pushState(null, '', shownUrl);
    return;
  }
  headingWanted = true;
  notify();
});

function notify(): void {
  shownUrl = currentUrl();
  for (const listener of listeners) listener();
}

/** Asks whether the page may be left: true if it has asked, and calls `leave` later or never. */
type LeaveGuard = (leave: () => void) => boolean;
let guard: LeaveGuard | null = null;

function asksFirst(leave: () => void): boolean {
  return guard?.(leave) ?? false;
}

/** Guards the page for as long as the component is on it. */
export function useLeaveGuard(asks: LeaveGuard): void {
  const latest = useRef(asks);
  latest.current = asks;
  useEffect(() => {
    const own: LeaveGuard = (leave) => latest.current(leave);
    guard = own;
    return () => {
      if (guard === own) guard = null;
    };
  }, []);
}

/** Navigates within the dashboard without a page load. */
export function go(path: string): void {
  if (!asksFirst(() => enter(path))) enter(path);
}

/** Navigates without asking whether the page may be left: its draft is kept in any case. */
export function enter(path: string): void {
  history.pushState(null, '', path);
  window.scrollTo(0, 0);
  headingWanted = true;
  notify();
}

function useUrl(): void {
  const [, update] = useState({});
  useEffect(() => {
    const listener = () => update({});
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

export function usePath(): string {
  useUrl();
  return location.pathname;
}

/** Filters live in the URL, so that they survive a reload, opening a row and going back, and can be sent to a colleague. */
export function useFilters<N extends string>(names: readonly N[]) {
  useUrl();
  const parameters = new URLSearchParams(location.search);
  const values = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ''])) as Record<
    N,
    string
  >;
  return {
    values,
    isFiltered: names.some((name) => values[name] !== ''),
    /** Also goes back to the first page. */
    set(name: N, value: string): void {
      replaceQuery((query) => {
        query.delete('cursor');
        if (value === '') query.delete(name);
        else query.set(name, value);
      });
    },
    clear(): void {
      replaceQuery((query) => {
        for (const name of ['cursor', ...names]) query.delete(name);
      });
    },
  };
}

/** Another address for the page that is shown, without leaving it. */
export function replacePath(path: string): void {
  history.replaceState(history.state, '', path);
  notify();
}

function replaceQuery(change: (query: URLSearchParams) => void): void {
  const query = new URLSearchParams(location.search);
  change(query);
  history.replaceState(history.state, '', location.pathname + (query.size > 0 ? `?${query}` : ''));
  notify();
}

/** Pages through a list by the cursor in the URL. The browser's Back leads to the page before. */
export function usePages() {
  useUrl();
  const cursor = new URLSearchParams(location.search).get('cursor');
  return {
    cursor,
    isFirst: cursor === null,
    older(next: string): void {
      const query = new URLSearchParams(location.search);
      query.set('cursor', next);
      history.pushState({ paged: true }, '', `${location.pathname}?${query}`);
      window.scrollTo(0, 0);
      notify();
    },
    newer(): void {
      if ((history.state as { paged?: boolean } | null)?.paged) history.back();
      else replaceQuery((query) => query.delete('cursor'));
    },
  };
}

export interface LinkProps {
  to: string;
  class?: string;
  title?: string;
  current?: boolean;
  onClick?: () => void;
  children: ComponentChildren;
}

/** A link whose plain click navigates without a page load. */
export function Link({ to, current, children, onClick, ...rest }: LinkProps) {
  return (
    <a
      href={to}
      {...rest}
      {...(current ? { 'aria-current': 'page' as const } : {})}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        onClick?.();
        go(to);
      }}
    >
      {children}
    </a>
  );
}

/** The heading of a page: names the document and takes the focus after a navigation, so that screen readers read it. */
export function Heading(props: { title: string; class?: string; children?: ComponentChildren }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setTitle(props.title);
  }, [props.title]);
  useEffect(() => {
    if (!headingWanted) return;
    headingWanted = false;
    ref.current?.focus({ preventScroll: true });
  }, []);
  return (
    <h1 ref={ref} tabIndex={-1} {...(props.class ? { class: props.class } : {})}>
      {props.children ?? props.title}
    </h1>
  );
}

let pageTitle = '';

function setTitle(title: string): void {
  pageTitle = title;
  document.title = `${title} · ${projectName}`;
}

/** The project's name is part of every document title. */
export function nameProject(name: string): void {
  projectName = name;
  setTitle(pageTitle || t.overview);
}
