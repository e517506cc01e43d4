import './dashboard.css';

/* Only this file has a name without a hash, so browsers ask for it each time: it is small and leads to the rest. */
void import('./app').then(({ start }) => start());
