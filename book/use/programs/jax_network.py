import jax
import jax.numpy as jnp
from sklearn.datasets import make_classification

import calibration_lessons as cl

X, y = make_classification(
    12_000, n_informative=10, n_classes=4, flip_y=0, random_state=0
)
X, y = jnp.asarray(X), jnp.asarray(y)


def network(weights, rows):
    hidden, out = weights
    return jax.nn.relu(rows @ hidden) @ out


def loss(weights):
    log_p = jax.nn.log_softmax(network(weights, X[:2000]))
    return -log_p[jnp.arange(2000), y[:2000]].mean()


keys = jax.random.split(jax.random.key(0))
weights = [jax.random.normal(keys[0], (20, 128)) / 4, jnp.zeros((128, 4))]
step = jax.jit(lambda w: jax.tree.map(lambda a, g: a - g, w, jax.grad(loss)(w)))
for _ in range(400):
    weights = step(weights)

logits = network(weights, X[2000:])
scaling = cl.TemperatureScaling().fit(logits[:2000], y[2000:4000])
print(f"temperature {scaling.temperature_:.2f}")
calibrated = scaling.predict_proba(logits[2000:])
for name, p in {
    "before": jax.nn.softmax(logits[2000:]),
    "after": calibrated,
}.items():
    print(f"{name}: {cl.calibration_report(y[4000:], p, random_state=0)}")
