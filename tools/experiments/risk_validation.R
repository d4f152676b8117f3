# What R gives for the data of tests/measures/test_risk_validation.py: Rscript tools/experiments/risk_validation.R
# (Debian: apt-get install r-cran-rms). Intervals of confint() are interpolated, to four digits or so.
suppressMessages(library(rms))
i <- 1:200
log_odds <- -3 + 6 * ((37 * i) %% 200) / 200
y <- as.integer(((17 * i^2) %% 101) / 101 < plogis(0.2 + 0.7 * log_odds))
large <- glm(y ~ offset(log_odds), family = binomial)
line <- glm(y ~ log_odds, family = binomial)
off <- abs(plogis(predict(lrm(y ~ rcs(log_odds, 5), tol = 1e-14, eps = 1e-12))) - plogis(log_odds))
whole <- val.prob(plogis(log_odds), y, pl = FALSE)
found <- c(
  coef(large), suppressMessages(confint(large)), coef(line)[2], suppressMessages(confint(line))[2, ],
  whole[c("C (ROC)", "Brier")], mean(off), median(off), quantile(off, 0.9), max(off)
)
cat(format(found, digits = 9), sep = "\n")
